import { SqlClient } from "@effect/sql"
import type { CustomerID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { demoChatTexts } from "./ChatTextsContent.ts"
import type { DemoCustomer } from "./DemoContent.ts"

/** One channel of each type, the folders of the mailbox and the texts of the chat window. */
export const makeChannels = fn("Demo.makeChannels")(function* (customerID: CustomerID, customer: DemoCustomer) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update customer set telephony_account_sid = ${customer.accountSid} where customer_id = ${customerID}`
  yield* sql`
    insert into channel (customer_id, channel_type, name, email_address, hostnames, phone_number, connection_details)
    values (${customerID}, 'Email', 'Support mail', ${`support@${customer.hostname}`}, null, null, null),
      (${customerID}, 'Chat', 'Website chat', null, ${`${customer.hostname},localhost`}, null, null),
      (${customerID}, 'Phone', 'Hotline', null, null, ${customer.phoneNumber}, null),
      (${customerID}, 'WhatsApp', 'WhatsApp', null, null, null, ${customer.whatsAppNumber})`
  yield* sql`
    insert into channel_folder (customer_id, channel_id, name, folder_type)
    select customer_id, channel_id, folder, folder from channel, unnest(array['Inbox', 'Sent']) folder
    where customer_id = ${customerID} and channel_type = 'Email'`
  const [chat] = yield* sql<{ readonly channel_id: number }>`
    select channel_id from channel where customer_id = ${customerID} and channel_type = 'Chat'`
  const title = { lang: "en", chat_title: `${customer.name}: chat with us` }
  for (const texts of [title, ...demoChatTexts]) {
    yield* sql`insert into channel_translation ${sql.insert({ customer_id: customerID, ...chat, ...texts })}`
  }
  yield* sql`
    insert into job (customer_id, kind, payload, status, total, done, imported, skipped)
    select customer_id, 'ImportFolder', jsonb_build_object('folderID', channel_folder_id), 'Succeeded', 3, 3, 2, 1
    from channel_folder where customer_id = ${customerID} and folder_type = 'Inbox'`
})
