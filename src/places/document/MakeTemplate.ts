import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import {
  AlignmentType,
  BorderStyle,
  Document,
  Footer,
  Header,
  HeadingLevel,
  HeightRule,
  LineRuleType,
  Packer,
  PageNumber,
  Paragraph,
  Tab,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TabStopType,
  TextRun,
  VerticalAlignTable,
  WidthType
} from "docx"
import { page, textWidth } from "./Page.ts"
import { templateFile } from "./Template.ts"

const ink = "1F3A56"
const grey = "595959"
const font = "Calibri"

const none = { style: BorderStyle.NONE, size: 0, color: "auto" }
const thin = { style: BorderStyle.SINGLE, size: 4, color: "D9D9D9" }
const rule = { style: BorderStyle.SINGLE, size: 8, color: ink }

const styles = {
  default: {
    document: {
      run: { font, size: 22, language: { value: "en-GB" } },
      paragraph: { spacing: { after: 120, line: 269, lineRule: LineRuleType.AUTO } }
    },
    title: {
      run: { font, size: 52, bold: true, color: ink },
      paragraph: { spacing: { before: 0, after: 60 } }
    },
    heading1: {
      run: { font, size: 32, bold: true, color: ink },
      paragraph: { spacing: { before: 360, after: 120 }, keepNext: true, keepLines: true }
    },
    heading2: {
      run: { font, size: 26, bold: true, color: ink },
      paragraph: { spacing: { before: 240, after: 80 }, keepNext: true, keepLines: true }
    },
    heading3: {
      run: { font, size: 23, bold: true, color: grey },
      paragraph: { spacing: { before: 200, after: 60 }, keepNext: true, keepLines: true }
    },
    heading4: {
      run: { font, size: 22, bold: true, italics: true, color: grey },
      paragraph: { spacing: { before: 160, after: 60 }, keepNext: true, keepLines: true }
    },
    listParagraph: { paragraph: { spacing: { before: 0, after: 60 }, contextualSpacing: true } }
  },
  paragraphStyles: [
    {
      id: "Subtitle",
      name: "Subtitle",
      basedOn: "Normal",
      next: "Normal",
      quickFormat: true,
      run: { font, size: 28, color: grey },
      paragraph: { spacing: { before: 0, after: 240 } }
    },
    {
      id: "Caption",
      name: "caption",
      basedOn: "Normal",
      next: "Normal",
      quickFormat: true,
      run: { size: 18, italics: true, color: grey },
      paragraph: { alignment: AlignmentType.CENTER, spacing: { before: 0, after: 60 } }
    },
    {
      id: "TableText",
      name: "Table Text",
      basedOn: "Normal",
      quickFormat: true,
      paragraph: { spacing: { before: 0, after: 0 } }
    },
    {
      id: "Margin",
      name: "Margin Text",
      basedOn: "Normal",
      run: { size: 18, color: grey },
      paragraph: { spacing: { before: 0, after: 0 } }
    },
    {
      id: "SectionLabel",
      name: "Section Label",
      basedOn: "Normal",
      next: "Normal",
      quickFormat: true,
      run: { size: 26, bold: true, color: ink },
      paragraph: { spacing: { before: 320, after: 100 }, keepNext: true, keepLines: true }
    }
  ]
}

const cell = (width: number, child: Paragraph) =>
  new TableCell({
    width: { size: width, type: WidthType.DXA },
    verticalAlign: VerticalAlignTable.TOP,
    margins: { top: 70, bottom: 70, left: 0, right: 100 },
    children: [child]
  })

const labelWidth = 2400

const fact = (label: string, placeholder: string) =>
  new TableRow({
    cantSplit: true,
    children: [
      cell(
        labelWidth,
        new Paragraph({ style: "TableText", children: [new TextRun({ text: label, bold: true, color: grey })] })
      ),
      cell(textWidth - labelWidth, new Paragraph({ style: "TableText", children: [new TextRun(placeholder)] }))
    ]
  })

const facts = new Table({
  layout: TableLayoutType.FIXED,
  width: { size: textWidth, type: WidthType.DXA },
  columnWidths: [labelWidth, textWidth - labelWidth],
  borders: { top: rule, bottom: rule, left: none, right: none, insideHorizontal: thin, insideVertical: none },
  rows: [
    fact("Case number", "{{caseNumber}}"),
    fact("Address", "{{address}}"),
    fact("Client", "{{clientNames}}"),
    fact("Landlord", "{{landlords}}"),
    fact("Tenant", "{{tenants}}"),
    fact("Date of report", "{{reportDate}}")
  ]
})

const signers = ["Landlord", "Tenant", "Surveyor"]

const column = Math.floor(textWidth / signers.length)

const signature = (label: string) =>
  new TableCell({
    width: { size: column, type: WidthType.DXA },
    borders: { top: none, left: none, right: none, bottom: none },
    margins: { top: 0, bottom: 0, left: 0, right: 300 },
    verticalAlign: VerticalAlignTable.BOTTOM,
    children: [
      new Paragraph({
        style: "TableText",
        border: { top: { ...rule, size: 6, space: 4 } },
        children: [new TextRun({ text: label, bold: true }), new TextRun({ text: "Name, signature, date", break: 1 })]
      })
    ]
  })

const signatures = new Table({
  layout: TableLayoutType.FIXED,
  width: { size: column * signers.length, type: WidthType.DXA },
  columnWidths: signers.map(() => column),
  borders: { top: none, bottom: none, left: none, right: none, insideHorizontal: none, insideVertical: none },
  rows: [
    new TableRow({
      cantSplit: true,
      height: { value: 1800, rule: HeightRule.ATLEAST },
      children: signers.map(signature)
    })
  ]
})

const atRight = [{ type: TabStopType.RIGHT, position: textWidth }]

const header = new Header({
  children: [
    new Paragraph({
      style: "Margin",
      tabStops: atRight,
      border: { bottom: { ...thin, space: 4 } },
      children: [new TextRun("{{caseNumber}}"), new TextRun({ children: [new Tab()] }), new TextRun("{{address}}")]
    })
  ]
})

const footer = () =>
  new Footer({
    children: [
      new Paragraph({
        style: "Margin",
        tabStops: atRight,
        children: [
          new TextRun("Schedule of condition, {{reportDate}}"),
          new TextRun({ children: [new Tab(), "Page ", PageNumber.CURRENT, " of ", PageNumber.TOTAL_PAGES] })
        ]
      })
    ]
  })

const body = [
  new Paragraph({ heading: HeadingLevel.TITLE, children: [new TextRun("Schedule of Condition")] }),
  new Paragraph({ style: "Subtitle", children: [new TextRun("{{address}}")] }),
  new Paragraph({
    alignment: AlignmentType.CENTER,
    spacing: { before: 0, after: 240 },
    children: [new TextRun("{{heroPhoto}}")]
  }),
  facts,
  new Paragraph({ style: "SectionLabel", children: [new TextRun("About this report")] }),
  new Paragraph({ children: [new TextRun("{{description}}")] }),
  new Paragraph({ style: "SectionLabel", children: [new TextRun("Rooms")] }),
  new Paragraph({ children: [new TextRun("{{roomList}}")] }),
  new Paragraph({
    pageBreakBefore: true,
    spacing: { before: 0, after: 0, line: 20, lineRule: LineRuleType.EXACT },
    children: []
  }),
  new Paragraph({ children: [new TextRun("{{rooms}}")] }),
  new Paragraph({ children: [new TextRun("{{photos}}")] }),
  new Paragraph({ style: "SectionLabel", children: [new TextRun("Signatures")] }),
  new Paragraph({
    keepNext: true,
    keepLines: true,
    children: [
      new TextRun(
        "The undersigned have read this schedule and confirm that it shows the condition of the place on the date of the report. Highlighted passages are still to be checked on site."
      )
    ]
  }),
  signatures
]

const template = new Document({
  title: "Schedule of Condition",
  creator: "Casework",
  lastModifiedBy: "Casework",
  styles,
  sections: [
    {
      properties: {
        titlePage: true,
        page: {
          size: { width: page.width, height: page.height },
          margin: {
            top: page.margin + 200,
            bottom: page.margin,
            left: page.margin,
            right: page.margin,
            header: 600,
            footer: 500
          }
        }
      },
      headers: { default: header, first: new Header({ children: [new Paragraph({ children: [] })] }) },
      footers: { default: footer(), first: footer() },
      children: body
    }
  ]
})

const bytes = await Packer.toBuffer(template)
mkdirSync(dirname(templateFile), { recursive: true })
writeFileSync(templateFile, bytes)
console.log(`Wrote ${templateFile}, ${bytes.length} bytes.`)
