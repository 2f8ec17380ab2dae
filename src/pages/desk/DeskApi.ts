import { HttpApi } from "@effect/platform"
import { AiRunsApi } from "../../../schema/AiRuns.ts"
import { AuthApi } from "../../../schema/Auth.ts"
import { AutomationApi } from "../../../schema/Automation.ts"
import { CustomersApi } from "../../../schema/Customers.ts"
import { EndUsersApi } from "../../../schema/EndUsers.ts"
import { BadRequest, InternalServerError } from "../../../schema/Errors.ts"
import { FilesApi } from "../../../schema/Files.ts"
import { RepresentativesApi } from "../../../schema/Representatives.ts"
import { TicketMessageAttachmentsApi } from "../../../schema/TicketMessageAttachments.ts"
import { TicketMessagesApi, TicketMessagesOnPhoneApi } from "../../../schema/TicketMessagesApi.ts"
import { TicketSummariesApi } from "../../../schema/TicketSummaries.ts"
import { TicketsApi } from "../../../schema/Tickets.ts"
import { TopicsApi } from "../../../schema/Topics.ts"

/** The part of the contract that the desk uses, made of the same groups that the service implements. */
export class DeskApi extends HttpApi.make("desk")
  .addError(BadRequest)
  .addError(InternalServerError)
  .add(AuthApi)
  .add(TicketsApi)
  .add(TicketSummariesApi)
  .add(TicketMessagesApi)
  .add(TicketMessagesOnPhoneApi)
  .add(TicketMessageAttachmentsApi)
  .add(FilesApi)
  .add(TopicsApi)
  .add(EndUsersApi)
  .add(RepresentativesApi)
  .add(CustomersApi)
  .add(AutomationApi)
  .add(AiRunsApi) {}
