export interface LabelledMessage {
  readonly language: "en" | "de" | "fr" | "es" | "it"
  /** The name of the topic; null for spam. */
  readonly topic: string | null
  readonly isSpam: boolean
  readonly text: string
}

const wanted =
  (language: LabelledMessage["language"]) =>
  (topic: string, text: string): LabelledMessage => ({ language, topic, isSpam: false, text })

const junk = (language: LabelledMessage["language"], text: string): LabelledMessage => ({
  language,
  topic: null,
  isSpam: true,
  text
})

const [en, de, fr, es, it] = [wanted("en"), wanted("de"), wanted("fr"), wanted("es"), wanted("it")]

/** Support messages written for this project, each with what a person would say about it. */
export const labelledMessages: ReadonlyArray<LabelledMessage> = [
  en("Lost key", "Hi, I think I lost the key to my front door on the bus this morning. How can I get a new one?"),
  en("Lost key", "I am locked out of the building and nobody answers the bell. Can somebody let me in?"),
  en("Deposit refund", "We moved out six weeks ago and still have not seen our deposit. When will it be paid back?"),
  en("Deposit refund", "Could you tell me how much of the deposit you are keeping for the carpet, and why?"),
  en("Repair request", "The heating in the living room has been cold since Friday and we have a baby at home."),
  en("Repair request", "Water is dripping from the ceiling in the bathroom, please send somebody today."),
  en("Delivery delay", "My parcel was supposed to be here on Monday. The tracking has not moved for five days."),
  en("Delivery delay", "Order 88213 has not arrived yet, is there a problem with the shipping?"),
  en("Invoice question", "The last invoice shows a fee that I do not recognise. What is it for?"),
  en("Invoice question", "I was charged twice for the same month, please check the payment."),
  en("Login problem", "I forgot my password and the mail with the code never comes."),
  en("Login problem", "Every time I try to sign in it says that my account is locked."),
  en("Survey appointment", "Can we move the survey from Tuesday to Thursday afternoon? I have to work."),
  en("Noise complaint", "The neighbours above us play loud music until three in the morning every weekend."),

  de("Lost key", "Guten Tag, ich habe meinen Wohnungsschlüssel verloren und brauche dringend einen neuen."),
  de("Lost key", "Ich habe mich ausgesperrt, der Schlüssel steckt innen. Was kann ich tun?"),
  de("Deposit refund", "Wann bekomme ich nach dem Auszug meine Kaution zurück? Es sind schon drei Monate vergangen."),
  de("Deposit refund", "Warum wurde von der Kaution ein Teil einbehalten? Ich bitte um eine Aufstellung."),
  de("Repair request", "Seit gestern ist die Heizung im Schlafzimmer kaputt und es wird sehr kalt."),
  de("Repair request", "Das Fenster in der Küche lässt sich nicht mehr schließen, der Griff ist defekt."),
  de(
    "Delivery delay",
    "Mein Paket ist immer noch nicht angekommen, die Sendungsverfolgung zeigt seit Tagen das gleiche."
  ),
  de("Delivery delay", "Die Lieferung sollte letzte Woche kommen. Wo bleibt meine Bestellung?"),
  de("Invoice question", "Auf der Rechnung vom März steht ein falscher Betrag, bitte korrigieren Sie das."),
  de("Invoice question", "Die Miete wurde zweimal von meinem Konto abgebucht, bitte prüfen Sie die Zahlung."),
  de("Login problem", "Ich kann mich nicht anmelden, das Passwort wird nicht angenommen."),
  de(
    "Survey appointment",
    "Ich muss den Termin für die Begehung am Freitag leider absagen. Geht es in der Woche danach?"
  ),
  de("Noise complaint", "Die Nachbarn im dritten Stock sind jede Nacht so laut, dass wir nicht schlafen können."),

  fr("Lost key", "Bonjour, j'ai perdu la clé de mon appartement hier soir. Comment puis-je en obtenir une autre ?"),
  fr("Lost key", "Je suis enfermée dehors, ma clé est restée à l'intérieur. Pouvez-vous m'aider ?"),
  fr("Deposit refund", "Nous avons rendu le logement en janvier et la caution n'est toujours pas remboursée."),
  fr("Deposit refund", "Quand la caution est-elle versée après le déménagement ?"),
  fr("Repair request", "Le chauffage ne marche plus depuis deux jours et il fait très froid chez nous."),
  fr("Repair request", "Il y a une fuite d'eau sous l'évier de la cuisine, c'est urgent."),
  fr("Delivery delay", "Mon colis devait arriver lundi et le suivi ne bouge plus."),
  fr("Delivery delay", "Où en est la livraison de ma commande 5521 ? Elle a déjà une semaine de retard."),
  fr("Invoice question", "Il y a une erreur sur la facture du mois dernier, le montant est trop élevé."),
  fr("Login problem", "J'ai oublié mon mot de passe et je ne reçois pas le code par SMS."),
  fr("Survey appointment", "Je voudrais changer la date du rendez-vous pour l'état des lieux, est-ce possible ?"),
  fr("Noise complaint", "Les voisins font beaucoup de bruit tous les soirs, nous ne pouvons plus dormir."),

  es("Lost key", "Hola, he perdido la llave de mi piso y no puedo entrar. ¿Cuánto cuesta una nueva?"),
  es("Lost key", "Me han robado el bolso con las llaves dentro, necesito cambiar la cerradura."),
  es("Deposit refund", "¿Cuándo me devuelven la fianza? Dejé el piso hace dos meses."),
  es("Repair request", "La calefacción no funciona desde ayer y tenemos mucho frío."),
  es("Repair request", "El grifo de la cocina está roto y sale agua por todas partes."),
  es("Delivery delay", "Mi paquete todavía no ha llegado y el seguimiento no cambia desde el jueves."),
  es("Delivery delay", "El pedido lleva una semana de retraso, ¿dónde está?"),
  es("Invoice question", "En la factura de abril hay un error, me han cobrado dos veces."),
  es("Login problem", "No puedo acceder a mi cuenta porque he olvidado la contraseña."),
  es("Survey appointment", "Quisiera cambiar la cita de la inspección para el lunes por la mañana."),
  es("Noise complaint", "Los vecinos de arriba hacen mucho ruido por la noche y no podemos dormir."),

  it("Lost key", "Buongiorno, ho perso le chiavi di casa. Come posso averne una copia?"),
  it("Lost key", "Sono rimasto chiuso fuori, la chiave è dentro l'appartamento."),
  it("Deposit refund", "Quando viene restituita la cauzione dopo il trasloco? Sono passati due mesi."),
  it("Repair request", "Il riscaldamento non funziona da ieri e fa molto freddo in casa."),
  it("Repair request", "La lavatrice è guasta e perde acqua sul pavimento."),
  it("Delivery delay", "Il mio pacco non è ancora arrivato e il tracciamento è fermo da giorni."),
  it("Invoice question", "La fattura di marzo è sbagliata, il pagamento è stato addebitato due volte."),
  it("Login problem", "Ho dimenticato la password e non riesco ad accedere al mio conto."),
  it("Survey appointment", "Vorrei spostare l'appuntamento per l'ispezione a mercoledì, è possibile?"),
  it("Noise complaint", "I vicini fanno rumore tutte le notti e non riusciamo a dormire."),

  // Harder ones: other words, several matters at once, links and money in honest messages, hardly any text.
  en("Repair request", "The fridge makes a terrible noise and nothing in it stays cold."),
  en("Delivery delay", "Still nothing in my letterbox. You said three working days, it has been nine!!!"),
  en(
    "Invoice question",
    "See https://acme.example/bills/77 and https://acme.example/bills/78: same amount, same day. Why?"
  ),
  en("Login problem", "the app throws me out again and again, i type everything correctly"),
  en("Deposit refund", "You owe me 1,800 euros since I left the flat. I want my money or I go to a lawyer."),
  de("Noise complaint", "Schon wieder Party bis vier Uhr früh direkt über uns, so geht das nicht weiter."),
  de("Login problem", "Der Bestätigungscode kommt einfach nicht an."),
  de("Invoice question", "Könnten Sie mir die Abrechnung für Mai noch einmal schicken?"),
  fr(
    "Invoice question",
    "Pourquoi ai-je été débité deux fois ce mois-ci ? Voici la preuve : https://banque.example/releve"
  ),
  fr("Repair request", "La porte du four ne ferme plus et la lumière du couloir clignote."),
  es("Deposit refund", "Me fui en mayo y todavía espero el dinero que les dejé al firmar el contrato."),
  it("Survey appointment", "Martedì non ci sono, possiamo vederci un altro giorno per il sopralluogo?"),

  junk("en", "Hello, I am a web designer and noticed your site looks dated. Shall I send you a quote?"),
  junk(
    "en",
    "CONGRATULATIONS!!! You have won 2,000,000 USD in the international lottery. Click here to claim: http://prize.example.xyz"
  ),
  junk(
    "en",
    "Dear business owner, we will bring your website to the first page of Google. SEO and backlinks, guaranteed results!"
  ),
  junk(
    "en",
    "Your account has been suspended. Verify your identity within 24 hours: http://bit.ly/3xyz or it will be deleted."
  ),
  junk(
    "de",
    "Verdienen Sie passives Einkommen mit Bitcoin! Nur heute, 100 % kostenlos. Klicken Sie hier: https://geld.example.top"
  ),
  junk("de", "Sie haben gewonnen! Bestätigen Sie Ihre Bankdaten, um den Gewinn von 50.000 Euro zu erhalten."),
  junk("fr", "Vous avez gagné un iPhone ! Cliquez ici pour recevoir votre cadeau : http://cadeau.example.click"),
  junk("fr", "Cher ami, je vous écris au sujet d'un héritage de 4 million dollars. Répondez vite, offre limitée."),
  junk("es", "¡Ha ganado la loteria! Haga clic en el enlace y verifique sus datos: http://premio.example.win"),
  junk("es", "Gane dinero con criptomonedas, oferta exclusiva solo hoy, resultados garantizados. https://bit.ly/abc"),
  junk("it", "Complimenti, hai vinto un buono da 1000 euro! Clicca qui: http://vinci.example.club"),
  junk("it", "Il tuo conto è stato sospeso. Conferma i tuoi dati subito: https://tinyurl.com/abcd")
]
