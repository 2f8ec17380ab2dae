import { plain } from "./Words.ts"

/** Signs of spam, each with its weight, for texts without accents. */
const signs: ReadonlyArray<readonly [RegExp, number, string]> = [
  [
    /\b(?:lottery|jackpot|lotterie|loterie|loteria|lotteria|you(?: have|'ve)? won|sie haben gewonnen|vous avez gagne|ha ganado|hai vinto|congratulations,? winner)\b/,
    2,
    "promises a prize"
  ],
  [
    /\b(?:bitcoin|crypto\w*|krypto\w*|cripto\w*|forex|binary options|passive income|passives einkommen|trading bot|double your money)\b/,
    1,
    "sells an investment"
  ],
  [
    /\b(?:casino|viagra|cialis|replica watches|weight loss|abnehmen|perdre du poids|enlargement|escort|poker|betting)\b/,
    1,
    "advertises unsolicited products"
  ],
  [
    /\b(?:seo|backlinks?|first page of google|erste seite (?:bei|von) google|premiere page de google|primera pagina de google|prima pagina di google|guest posts?|web traffic|lead generation)\b/,
    1,
    "sells marketing"
  ],
  [
    /\b(?:click (?:here|below|the link)|klicken sie (?:hier|auf)|cliquez (?:ici|sur)|haga clic|haz clic|clicca (?:qui|sul))\b/,
    1,
    "asks for a click"
  ],
  [
    /\b(?:act now|limited time|only today|nur heute|offre limitee|solo hoy|solo oggi|100 ?% (?:free|gratis|kostenlos|gratuit)|risk[- ]free|guaranteed (?:results|income|profit)|no obligation|special promotion|sonderangebot|offerta speciale|oferta exclusiva)\b/,
    1,
    "pressures the reader to buy"
  ],
  [
    /\b(?:inheritance|erbschaft|heritage de|herencia|eredita|next of kin|million (?:dollars|euros?|usd)|millionen (?:dollar|euro)|millones de|milioni di|beneficiary|western union)\b/,
    1,
    "promises a fortune"
  ],
  [
    /\b(?:dear (?:friend|beloved|beneficiary|sir\/madam|business owner|webmaster|user)|lieber freund|cher ami|estimado amigo|caro amico)\b/,
    1,
    "has an impersonal greeting"
  ],
  [
    /\b(?:account (?:has been |will be |is )?(?:suspended|limited|locked)|konto (?:wurde |wird )?(?:gesperrt|eingeschrankt)|compte (?:a ete |sera )?suspendu|cuenta (?:ha sido |sera )?suspendida|conto (?:e stato |sara )?sospeso|verify your (?:identity|account|details)|confirm your (?:password|bank)|bestatigen sie ihre (?:daten|bankdaten)|confirmez vos (?:coordonnees|donnees)|verifique sus datos|conferma i tuoi dati)\b/,
    1,
    "asks for data"
  ],
  [/\b(?:bit\.ly|tinyurl|t\.co|goo\.gl|\.(?:xyz|top|click|loan|win|bid|club))\b/, 1, "hides the target of a link"],
  [/(?:!{3,}|\${2,}|€{2,}|💰|🤑|🎁)/u, 0.5, "shouts"],
  [/\b(?:unsubscribe|abbestellen|se desabonner|desabonnement|darse de baja|cancellati)\b/, 0.5, "is a mass mailing"],
  [/\b(?:whatsapp|telegram)\b.*\+\d|\bt\.me\//s, 0.5, "asks to continue elsewhere"]
]

const threshold = 1.5

const manyLinks = 3

const shouting = (text: string) => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0
  return letters > 30 && capitals / letters > 0.6
}

/** Whether a message shows enough signs of spam, and which. */
export const spamSigns = (text: string): { readonly isSpam: boolean; readonly reason: string } => {
  const simple = plain(text)
  const links = simple.match(/https?:\/\//g)?.length ?? 0
  const found = [
    ...signs.filter(([pattern]) => pattern.test(simple)).map(([, weight, reason]) => ({ weight, reason })),
    ...(links >= manyLinks ? [{ weight: 1, reason: "has many links" }] : []),
    ...(links > 0 && links < manyLinks ? [{ weight: 0.5, reason: "has a link" }] : []),
    ...(shouting(text) ? [{ weight: 1, reason: "is written in capitals" }] : [])
  ]
  const score = found.reduce((sum, { weight }) => sum + weight, 0)
  const reason = found.length === 0 ? "shows no sign of spam" : found.map((sign) => sign.reason).join(", ")
  return { isSpam: score >= threshold, reason }
}
