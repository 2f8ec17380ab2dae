/** The texts of the demo chats in languages other than English. */
export const demoChatTexts = [
  {
    lang: "de",
    chat_title: "Fragen? Wir sind da.",
    default_greeting: "Guten Tag! Wie können wir helfen?",
    send_button_text: "Senden",
    escalate_prompt: "Möchten Sie mit einem Menschen sprechen?",
    yes_text: "Ja",
    no_text: "Nein",
    availability_check: "Einen Moment, wir suchen jemanden, der Ihnen hilft.",
    valid_email: "Bitte geben Sie eine gültige E-Mail-Adresse ein.",
    you_text: "Sie",
    submit_button_text: "Absenden",
    succesful_submission: "Danke! Wir melden uns bei Ihnen.",
    agent_join: "ist jetzt im Chat"
  },
  {
    lang: "ar",
    chat_title: "هل لديك سؤال؟",
    default_greeting: "مرحبًا! كيف يمكننا مساعدتك؟",
    send_button_text: "إرسال",
    escalate_prompt: "هل تود التحدث إلى شخص؟",
    yes_text: "نعم",
    no_text: "لا",
    availability_check: "لحظة من فضلك، نبحث عمن يمكنه مساعدتك.",
    valid_email: "يرجى إدخال بريد إلكتروني صالح.",
    you_text: "أنت",
    submit_button_text: "إرسال",
    succesful_submission: "شكرًا! سنتواصل معك.",
    agent_join: "انضم إلى المحادثة"
  }
]
