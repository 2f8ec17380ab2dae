/** The texts of the window besides those of the channel: names of buttons and states. */
export interface Words {
  readonly open: string
  readonly close: string
  readonly write: string
  readonly connected: string
  readonly connecting: string
  readonly offline: string
  readonly full: string
  readonly switchedOff: string
  readonly forbidden: string
  readonly cutOff: string
  readonly typing: string
  readonly sending: string
  readonly queued: string
  readonly failed: string
  readonly again: string
  readonly helpful: string
  readonly like: string
  readonly dislike: string
  readonly thanks: string
  readonly leaveEmail: string
  readonly email: string
  readonly tooLong: string
  readonly newMessages: string
}

const english: Words = {
  open: "Open the chat",
  close: "Close the chat",
  write: "Write a message",
  connected: "We are here to help",
  connecting: "Connecting…",
  offline: "No connection. Reconnecting…",
  full: "All lines are busy. Trying again…",
  switchedOff: "This chat is currently unavailable.",
  forbidden: "This chat is not available on this website.",
  cutOff: "The chat was interrupted. Close and reopen it to continue.",
  typing: "is typing",
  sending: "Sending…",
  queued: "Will be sent when you are back online",
  failed: "Not sent",
  again: "Try again",
  helpful: "Was this helpful?",
  like: "Yes, helpful",
  dislike: "No, not helpful",
  thanks: "Thanks for your feedback.",
  leaveEmail: "Nobody is available right now. Leave your email address, and we will reply there.",
  email: "Your email address",
  tooLong: "This message is too long.",
  newMessages: "New messages"
}

const german: Words = {
  open: "Chat öffnen",
  close: "Chat schließen",
  write: "Nachricht schreiben",
  connected: "Wir sind für Sie da",
  connecting: "Verbindung wird aufgebaut …",
  offline: "Keine Verbindung. Wir verbinden Sie neu …",
  full: "Gerade sind alle Leitungen belegt. Neuer Versuch …",
  switchedOff: "Dieser Chat ist derzeit nicht verfügbar.",
  forbidden: "Dieser Chat ist auf dieser Website nicht verfügbar.",
  cutOff: "Der Chat wurde unterbrochen. Schließen und öffnen Sie ihn, um fortzufahren.",
  typing: "schreibt",
  sending: "Wird gesendet …",
  queued: "Wird gesendet, sobald die Verbindung wieder da ist",
  failed: "Nicht gesendet",
  again: "Erneut versuchen",
  helpful: "War das hilfreich?",
  like: "Ja, hilfreich",
  dislike: "Nein, nicht hilfreich",
  thanks: "Danke für Ihre Rückmeldung.",
  leaveEmail: "Gerade ist niemand verfügbar. Hinterlassen Sie Ihre E-Mail-Adresse, wir antworten Ihnen dort.",
  email: "Ihre E-Mail-Adresse",
  tooLong: "Diese Nachricht ist zu lang.",
  newMessages: "Neue Nachrichten"
}

const french: Words = {
  open: "Ouvrir la discussion",
  close: "Fermer la discussion",
  write: "Écrire un message",
  connected: "Nous sommes là pour vous",
  connecting: "Connexion…",
  offline: "Pas de connexion. Reconnexion…",
  full: "Toutes les lignes sont occupées. Nouvel essai…",
  switchedOff: "Cette discussion est indisponible pour le moment.",
  forbidden: "Cette discussion n’est pas disponible sur ce site.",
  cutOff: "La discussion a été interrompue. Fermez-la et rouvrez-la pour continuer.",
  typing: "écrit",
  sending: "Envoi…",
  queued: "Sera envoyé dès que la connexion sera rétablie",
  failed: "Non envoyé",
  again: "Réessayer",
  helpful: "Cette réponse vous a-t-elle aidé ?",
  like: "Oui, utile",
  dislike: "Non, pas utile",
  thanks: "Merci pour votre retour.",
  leaveEmail: "Personne n’est disponible pour le moment. Laissez votre adresse e-mail, nous vous y répondrons.",
  email: "Votre adresse e-mail",
  tooLong: "Ce message est trop long.",
  newMessages: "Nouveaux messages"
}

const spanish: Words = {
  open: "Abrir el chat",
  close: "Cerrar el chat",
  write: "Escriba un mensaje",
  connected: "Estamos aquí para ayudarle",
  connecting: "Conectando…",
  offline: "Sin conexión. Reconectando…",
  full: "Todas las líneas están ocupadas. Reintentando…",
  switchedOff: "Este chat no está disponible en este momento.",
  forbidden: "Este chat no está disponible en este sitio web.",
  cutOff: "El chat se ha interrumpido. Ciérrelo y vuelva a abrirlo para continuar.",
  typing: "está escribiendo",
  sending: "Enviando…",
  queued: "Se enviará cuando vuelva la conexión",
  failed: "No enviado",
  again: "Reintentar",
  helpful: "¿Le ha sido útil?",
  like: "Sí, útil",
  dislike: "No, no me ayudó",
  thanks: "Gracias por su opinión.",
  leaveEmail: "Ahora no hay nadie disponible. Deje su correo electrónico y le responderemos allí.",
  email: "Su correo electrónico",
  tooLong: "Este mensaje es demasiado largo.",
  newMessages: "Mensajes nuevos"
}

const arabic: Words = {
  open: "فتح المحادثة",
  close: "إغلاق المحادثة",
  write: "اكتب رسالة",
  connected: "نحن هنا لمساعدتك",
  connecting: "جارٍ الاتصال…",
  offline: "لا يوجد اتصال. جارٍ إعادة الاتصال…",
  full: "جميع الخطوط مشغولة. جارٍ إعادة المحاولة…",
  switchedOff: "هذه المحادثة غير متاحة حاليًا.",
  forbidden: "هذه المحادثة غير متاحة على هذا الموقع.",
  cutOff: "انقطعت المحادثة. أغلقها وافتحها مرة أخرى للمتابعة.",
  typing: "يكتب الآن",
  sending: "جارٍ الإرسال…",
  queued: "سيتم الإرسال عند عودة الاتصال",
  failed: "لم يتم الإرسال",
  again: "إعادة المحاولة",
  helpful: "هل كان هذا مفيدًا؟",
  like: "نعم، مفيد",
  dislike: "لا، غير مفيد",
  thanks: "شكرًا على رأيك.",
  leaveEmail: "لا يوجد أحد متاح الآن. اترك بريدك الإلكتروني وسنرد عليك عبره.",
  email: "بريدك الإلكتروني",
  tooLong: "هذه الرسالة طويلة جدًا.",
  newMessages: "رسائل جديدة"
}

const byLanguage: Readonly<Record<string, Words>> = { de: german, fr: french, es: spanish, ar: arabic }

export const wordsIn = (language: string): Words => byLanguage[language.split("-")[0]?.toLowerCase() ?? ""] ?? english
