import { golden } from "./Golden.ts"

const outlookHtml = (body: string) =>
  `<html xmlns:v="urn:schemas-microsoft-com:vml"><head>\r\n<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><style><!-- @font-face {font-family:Calibri;} p.MsoNormal {margin:0cm;} --></style></head><body lang="DE" link="#0563C1"><div class="WordSection1">${body}</div></body></html>`

const gmailQuote = `<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, 4 May 2026 at 09:12, Acme &lt;<a href="mailto:support@acme.example">support@acme.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex"><div>We come on Tuesday.</div></blockquote></div>`

/** Mail that people write. */
export const people = [
  golden(
    "Outlook on Windows",
    {
      html: outlookHtml(
        `<p class="MsoNormal"><span style="mso-fareast-language:EN-US">Guten Tag,<o:p></o:p></span></p><p class="MsoNormal">der Schlüssel klemmt.<o:p>&nbsp;</o:p></p>`
      ),
      fromName: "Keller, Maria",
      headers: { "Thread-Topic": "Schlüssel", "Thread-Index": "AdqAAAA=", "X-MS-Has-Attach": "" },
      messageId: "<AM0PR01MB0001@AM0PR01MB0001.eurprd01.prod.exchangelabs.example>",
      conversationId: "outlook"
    },
    { fromName: "Keller, Maria", text: "Guten Tag,\nder Schlüssel klemmt.", without: /mso|font-face|<o:p>/i }
  ),
  golden(
    "Outlook answers",
    {
      html: outlookHtml(
        `<p class="MsoNormal">Danke!</p><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p><b>Von:</b> Acme</p></div>`
      ),
      conversationId: "outlook",
      headers: { "In-Reply-To": "<AM0PR01MB0001@AM0PR01MB0001.eurprd01.prod.exchangelabs.example>" }
    },
    { joins: "Outlook on Windows", text: "Danke!" }
  ),
  golden(
    "Gmail on the web",
    {
      from: "maria.keller@gmail.example",
      html: `<div dir="ltr">Hello,<div><br></div><div>the heating is <b>cold</b> 🥶.</div></div>`,
      messageId: "<CAF+abc_1=XyZ@mail.gmail.example>"
    },
    { fromAddress: "maria.keller@gmail.example", text: "Hello,\nthe heating is cold 🥶." }
  ),
  golden(
    "Gmail answers with a quote",
    {
      from: "maria.keller@gmail.example",
      html: `<div dir="ltr">It is warm again.</div>${gmailQuote}`,
      headers: { References: "<CAF+abc_1=XyZ@mail.gmail.example>", "In-Reply-To": "<CAF+abc_1=XyZ@mail.gmail.example>" }
    },
    { joins: "Gmail on the web", text: "It is warm again." }
  ),
  golden(
    "Apple Mail",
    {
      from: "eva@icloud.example",
      html: `<html><head><meta http-equiv="content-type" content="text/html; charset=us-ascii"></head><body style="overflow-wrap: break-word; -webkit-nbsp-mode: space;">The window does not close.<br id="lineBreakAtBeginningOfMessage"></body></html>`,
      headers: { "X-Mailer": "Apple Mail (2.3774.500.171.1.1)", "Mime-Version": "1.0 (Mac OS X Mail 16.0)" }
    },
    { text: "The window does not close." }
  ),
  golden(
    "An iPhone",
    {
      from: "eva@icloud.example",
      text: "No water\r\n\r\nSent from my iPhone",
      headers: { "X-Mailer": "iPhone Mail (21F90)" }
    },
    { text: "No water" }
  ),
  golden(
    "An Android phone",
    {
      html: `<div dir="auto">Wann kommt der Techniker?</div><div dir="auto"><br></div><div id="composer_signature" dir="auto">Von meinem Samsung gesendet</div>`
    },
    { text: "Wann kommt der Techniker?" }
  ),
  golden(
    "Thunderbird in plain text",
    { text: "Hi,\n\n> quoted\n\nyes.\n-- \nTom" },
    { text: "Hi,\n\n> quoted\n\nyes." }
  ),
  golden(
    "Thunderbird with Usenet habits",
    {
      text: "Me too",
      headers: { "User-Agent": "Mozilla Thunderbird", References: "<nowhere@x> <CAF+abc_1=XyZ@mail.gmail.example>" }
    },
    { joins: "Gmail on the web", text: "Me too" }
  ),
  golden(
    "A forwarded chain",
    {
      from: "landlord@office.example",
      subject: "WG: FW: Fwd: Re: Heating",
      conversationId: "outlook",
      html: outlookHtml(
        `<p>Bitte erledigen.</p><hr><p>From: tenant</p><blockquote>cold<blockquote>colder</blockquote></blockquote>`
      )
    },
    { subject: "WG: FW: Fwd: Re: Heating", text: "Bitte erledigen." }
  ),
  golden(
    "The same subject from another person",
    { subject: "Outlook on Windows", from: "other@home.example", conversationId: "outlook" },
    { subject: "Outlook on Windows" }
  ),
  golden(
    "The same conversation by the same person",
    { subject: "One more thing", conversationId: "outlook", text: "And the lamp." },
    { joins: "Outlook on Windows", text: "And the lamp." }
  ),
  golden(
    "Right to left",
    { subject: "مفتاح مفقود", html: `<div dir="rtl" lang="ar">فقدت المفتاح</div>`, fromName: "ليلى" },
    { subject: "مفتاح مفقود", text: "فقدت المفتاح", fromName: "ليلى" }
  ),
  golden("Japanese", { subject: "鍵をなくしました", text: "助けてください。" }, { text: "助けてください。" }),
  golden(
    "Two hundred recipients",
    { to: Array.from({ length: 200 }, (_, index) => `neighbour-${index}@home.example`), text: "To the whole house" },
    { text: "To the whole house" }
  ),
  golden(
    "Only in copy",
    { to: [], cc: ["support@acme.example"], text: "For your information" },
    { text: "For your information" }
  ),
  golden(
    "A name with quotation marks",
    { fromName: `"Maria ""the boss"" Keller"` },
    { fromName: `"Maria ""the boss"" Keller"` }
  ),
  golden(
    "On behalf of somebody",
    {},
    { fromAddress: "boss@office.example" },
    {
      from: { emailAddress: { name: "The boss", address: "boss@office.example" } },
      sender: { emailAddress: { name: "Assistant", address: "assistant@office.example" } }
    }
  )
]
