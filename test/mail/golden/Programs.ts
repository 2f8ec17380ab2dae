import { file } from "../../support/Mails.ts"
import { golden } from "./Golden.ts"

/** Mail that programs write. */
export const programs = [
  golden(
    "Out of office from Exchange",
    {
      subject: "Automatic reply: Your ticket",
      headers: {
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "X-MS-Exchange-Inbox-Rules-Loop": "x"
      }
    },
    { isAutomatic: true }
  ),
  golden(
    "Out of office from Gmail",
    { headers: { "Auto-Submitted": "auto-replied", Precedence: "bulk" } },
    { isAutomatic: true }
  ),
  golden("Vacation on Unix", { headers: { Precedence: "junk", "X-Autoreply": "yes" } }, { isAutomatic: true }),
  golden(
    "A bounce from Exchange",
    {
      from: "MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@acme.example",
      subject: "Undeliverable: Re: Heating",
      headers: {
        "Content-Type": 'multipart/report; report-type=delivery-status; boundary="x"',
        "Auto-Submitted": "auto-replied"
      },
      attachments: [file("details.txt", "message/delivery-status", Buffer.from("Action: failed"))]
    },
    { isAutomatic: true, files: ["details.txt"] }
  ),
  golden(
    "A bounce from Postfix",
    { from: "MAILER-DAEMON@mx.home.example", headers: { "Return-Path": "<>" } },
    { isAutomatic: true, fromAddress: "MAILER-DAEMON@mx.home.example" }
  ),
  golden(
    "A bounce that names who it was for",
    { headers: { "X-Failed-Recipients": "x@home.example" } },
    { isAutomatic: true }
  ),
  golden(
    "A newsletter",
    {
      from: "news@shop.example",
      html: `<table width="600"><tr><td><h1>Sale</h1><img src="https://track.shop.example/o.gif" width="1" height="1"><a href="https://shop.example/?u=1">Buy</a></td></tr></table>`,
      headers: { "List-Unsubscribe": "<https://shop.example/u>", "List-Id": "<news.shop.example>" }
    },
    { isAutomatic: true, text: "Sale", without: /track\.shop/ }
  ),
  golden(
    "A mailing list",
    { headers: { "List-Id": "house <house.lists.example>", Precedence: "list" } },
    { isAutomatic: true }
  ),
  golden(
    "A monitoring alert",
    { from: "alerts@monitor.example", headers: { "auto-submitted": "auto-generated; type=alert" } },
    { isAutomatic: true }
  ),
  golden("A person whose server says no", { headers: { "Auto-Submitted": "no" } }, { isAutomatic: false }),
  golden(
    "A person behind a suppressing server",
    { headers: { "X-Auto-Response-Suppress": "None" } },
    { isAutomatic: false }
  ),
  golden(
    "A meeting invitation",
    { attachments: [file("invite.ics", "text/calendar; method=REQUEST", Buffer.from("BEGIN:VCALENDAR"))] },
    { files: ["invite.ics"] }
  ),
  golden(
    "A scanner",
    {
      from: "scanner@office.example",
      subject: "Scan",
      text: "",
      attachments: [file("Scan_0001.pdf", "application/pdf", Buffer.from("%PDF-1.4"))]
    },
    { subject: "Scan", files: ["Scan_0001.pdf"] }
  ),
  golden(
    "A web form",
    { text: "name: Maria\nphone: +15550199", headers: { "X-PHP-Originating-Script": "0:form.php" } },
    { text: "name: Maria" }
  )
]
