import type { SomeCustomer } from "./Databases.ts"

let number = 0

/** A message that opens a ticket, from an end user already known to the customer. */
export const newMessage = ({ channelID, customerID, endUsers }: SomeCustomer, token: string) => {
  const body = () => {
    number += 1
    return JSON.stringify({
      channelID,
      uid: `user${1 + (number % endUsers)}@mail${customerID}.example`,
      message: `The key is lost, number ${number}`
    })
  }
  return { method: "POST", path: "/ticketMessages/create-new", token, body } as const
}
