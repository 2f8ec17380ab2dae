import { deflateRawSync } from "node:zlib"

const latin = (text: string) => Buffer.from(text, "latin1")

const zipEntry = (name: string, content: string) => {
  const data = deflateRawSync(content)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(data.length, 18)
  header.writeUInt32LE(Buffer.byteLength(content), 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, latin(name), data])
}

const contentTypes =
  '<?xml version="1.0"?><Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'

/** How files of several kinds begin. */
export const samples = {
  png: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "base64"
  ),
  pdf: latin("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"),
  zip: zipEntry("notes/one.txt", "one"),
  docx: Buffer.concat([zipEntry("[Content_Types].xml", contentTypes), zipEntry("word/document.xml", "<w/>")]),
  compound: Buffer.concat([latin("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), Buffer.alloc(600)]),
  mp3: Buffer.concat([latin("ID3\x03\x00\x00\x00\x00\x00\x00"), latin("\xff\xfb\x90\x64"), Buffer.alloc(500)]),
  mp4: Buffer.concat([latin("\0\0\0\x18ftypmp42\0\0\0\0mp42isom"), Buffer.alloc(100)]),
  elf: Buffer.concat([latin("\x7fELF\x02\x01\x01\0"), Buffer.alloc(200)]),
  exe: Buffer.concat([latin("MZ\x90\0\x03\0\0\0"), Buffer.alloc(200)]),
  machO: Buffer.concat([latin("\xcf\xfa\xed\xfe\x07\0\0\x01"), Buffer.alloc(200)]),
  javaClass: Buffer.concat([latin("\xca\xfe\xba\xbe\0\0\0\x34"), Buffer.alloc(200)]),
  script: latin("#!/bin/sh\nrm -rf /\n")
}
