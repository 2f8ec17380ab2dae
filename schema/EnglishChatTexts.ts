/** The texts of a chat window without a translation, and until the service has been reached. */
export const englishChatTexts = {
  chatTitle: "Chat with us",
  defaultGreeting: "Hello! How can we help you?",
  sendButtonText: "Send",
  escalatePrompt: "Would you like to talk to a person?",
  yesText: "Yes",
  noText: "No",
  availabilityCheck: "One moment, we are looking for somebody who can help you.",
  validEmail: "Please enter a valid e-mail address.",
  youText: "You",
  submitButtonText: "Submit",
  succesfulSubmission: "Thank you! We will get back to you.",
  agentJoin: "has joined the chat"
} as const
