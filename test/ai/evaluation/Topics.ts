import { TopicID } from "../../../schema/Ids.ts"

/** The topics of the evaluation, as an organisation would write them: in one language, with a short description. */
export const evaluationTopics = [
  { name: "Lost key", description: "A tenant lost a key or is locked out and needs a new one" },
  { name: "Deposit refund", description: "When and how the deposit is paid back after moving out" },
  { name: "Repair request", description: "Something in the flat is broken: heating, water, windows, appliances" },
  { name: "Delivery delay", description: "An order has not arrived or the tracking does not move" },
  { name: "Invoice question", description: "An invoice is wrong, missing, or a payment was charged twice" },
  { name: "Login problem", description: "Forgotten password, locked account or no sign-in code" },
  { name: "Survey appointment", description: "Booking, moving or cancelling the date of a survey" },
  { name: "Noise complaint", description: "Neighbours are too loud" }
].map((topic, index) => ({ topicID: TopicID.make(index + 1), ...topic }))
