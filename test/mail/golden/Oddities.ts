import { file } from "../../support/Mails.ts"
import { golden } from "./Golden.ts"

/** Mail that is odd, broken or hostile. */
export const oddities = [
  golden("No Message-ID", { messageId: null }, { text: "The tap in the kitchen leaks." }),
  golden("A doubled Message-ID", { messageId: "<twice@broken.example>", text: "The first" }, { text: "The first" }),
  golden(
    "The same Message-ID with another text",
    { messageId: "<twice@broken.example>", text: "The second" },
    { text: "The second" }
  ),
  golden(
    "A copy of the doubled one",
    { messageId: "<twice@broken.example>", text: "The first", subject: "A doubled Message-ID" },
    { skipped: true }
  ),
  golden("No subject", { subject: null, text: "Just a text" }, { subject: "Just a text", text: "Just a text" }),
  golden("A blank subject", { subject: "   ", text: "Blank above" }, { subject: "Blank above" }),
  golden("A very long subject", { subject: "x".repeat(3000) }, { subject: "x".repeat(1000) }),
  golden(
    "A broken charset",
    { subject: "Sch\uFFFDssel \uD800 kaputt\u0000", text: "gr\uFFFD\uFFFDe \uDC00 \u0000" },
    { subject: "Sch\uFFFDssel \uFFFD kaputt" }
  ),
  golden("Without anything", { subject: null, text: "", messageId: null, conversationId: "void" }, { subject: null }),
  golden("Without a body", {}, { text: "" }, { body: null }),
  golden("Without a sender", {}, { fromAddress: null, fromName: null }, { from: null, sender: null }),
  golden(
    "A sender without an address",
    {},
    { fromAddress: null },
    { from: { emailAddress: { name: "Nobody" } }, sender: null }
  ),
  golden(
    "winmail.dat",
    {
      text: "See the file",
      attachments: [file("winmail.dat", "application/ms-tnef", Buffer.from([0x78, 0x9f, 0x3e, 0x22]))]
    },
    { files: ["winmail.dat"] }
  ),
  golden("An attachment without a name", { attachments: [file("", "", Buffer.from("x"))] }, { files: ["attachment"] }),
  golden(
    "Files with names that hide what they are",
    {
      attachments: [
        file("invoice\u202Efdp.exe", "application/pdf", Buffer.from("1")),
        file("..\\..\\C:\\plan\u0085.pdf", "application/pdf", Buffer.from("2")),
        file(`${"x".repeat(300)}.jpeg`, "image/jpeg", Buffer.from("3")),
        { ...file("FW: 24/7 on 1/2 \u2066.", "message/rfc822", Buffer.from("4")), kind: "item" },
        { ...file("y".repeat(300), "message/rfc822", Buffer.from("5")), kind: "item" },
        { ...file("a\u202Efdp.exe", "", Buffer.alloc(0)), kind: "reference" }
      ],
      text: "See these"
    },
    {
      text: "See these\n\nafdp.exe",
      files: ["invoicefdp.exe", "plan.pdf", `${"x".repeat(195)}.jpeg`, "FW: 24_7 on 1_2.eml", `${"y".repeat(196)}.eml`]
    }
  ),
  golden(
    "A link instead of a file",
    { text: "See the plan", attachments: [{ ...file("plan.docx", "", Buffer.alloc(0)), kind: "reference" }] },
    { text: "See the plan\n\nplan.docx", files: [] }
  ),
  golden(
    "A link instead of a file, in HTML",
    {
      html: "<p>See the plan</p><p>Is it right?</p>",
      attachments: [
        { ...file("plan.docx", "", Buffer.alloc(0)), kind: "reference", sourceUrl: "https://drive.example/plan" }
      ]
    },
    { text: "See the plan\nIs it right?\n\nplan.docx: https://drive.example/plan", files: [] }
  ),
  golden(
    "A picture inside the text",
    {
      html: `<p>Look:</p><img src="cid:image001.png@01DA">`,
      attachments: [file("image001.png", "image/png", Buffer.from("png"), "<image001.png@01DA>")]
    },
    { text: "Look:", files: ["image001.png"] }
  ),
  golden(
    "A hostile mail",
    {
      html: `<svg onload=alert(1)><script>steal()</script><iframe src="https://evil.example"></iframe><form action="https://evil.example"><input name=q></form><a href="javascript:steal()">click</a><p style="position:fixed;background:url(https://evil.example/x)">text</p>`
    },
    { without: /script|iframe|<form|onload|evil\.example|position/ }
  ),
  golden(
    "Markup in a plain text",
    { text: "<script>alert(1)</script> 1 < 2" },
    { text: "<script>alert(1)</script> 1 < 2" }
  ),
  golden(
    "Headers folded and in capitals",
    { headers: { "IN-REPLY-TO": "\r\n <twice@broken.example>" } },
    { joins: "A doubled Message-ID" }
  ),
  golden("An answer to something unknown", { headers: { "In-Reply-To": "<long-gone@home.example>" } }, {}),
  golden("A date in the past century", { received: new Date("1999-12-31T23:59:59Z") }, {}),
  golden(
    "Properties that nobody has seen before",
    {},
    {},
    { "newProperty@odata.type": "#x", newProperty: { deep: [1] }, flag: null }
  )
]
