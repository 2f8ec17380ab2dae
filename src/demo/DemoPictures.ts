const [width, height] = [1024, 768]

const framed = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
  <defs>
    <linearGradient id="light" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".35"/><stop offset="1" stop-color="#000" stop-opacity=".25"/></linearGradient>
    <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#9cc4e4"/><stop offset="1" stop-color="#eaf4fb"/></linearGradient>
  </defs>${content}<rect width="${width}" height="${height}" fill="url(#light)"/></svg>`

const board = (index: number) =>
  `<path d="M${index * 128 - 128} 768L${380 + index * 26} 540" stroke="#00000030" stroke-width="3"/>`

/** Two walls and a floor, seen from the door. */
const room = (wall: string, side: string, floor: string, content: string) =>
  framed(`<rect width="1024" height="768" fill="${wall}"/>
  <path d="M0 0L220 90V560L0 768Z" fill="${side}"/>
  <path d="M0 768L220 540H1024V768Z" fill="${floor}"/>
  ${Array.from({ length: 11 }, (_, index) => board(index)).join("")}
  <path d="M220 540H1024V556H216Z" fill="#f4f1ea"/><path d="M0 752L220 540V556L0 768Z" fill="#e6e1d6"/>${content}`)

const window = (x: number, y: number) =>
  `<rect x="${x - 14}" y="${y - 14}" width="288" height="268" fill="#f7f5f0"/><rect x="${x}" y="${y}" width="260" height="240" fill="url(#sky)"/>
  <path d="M${x + 130} ${y}V${y + 240}M${x} ${y + 110}H${x + 260}" stroke="#f7f5f0" stroke-width="12"/><rect x="${x - 24}" y="${y + 250}" width="308" height="16" fill="#e9e4d8"/>`

const crack = (x: number, y: number) =>
  `<path d="M${x} ${y}l18 42l-12 30l26 46l-10 34l22 52l-6 40" fill="none" stroke="#4a4038" stroke-width="4"/><path d="M${x + 32} ${y + 118}l34 22l18 34" fill="none" stroke="#4a4038" stroke-width="2.5"/>`

const stain = (x: number, y: number) =>
  `<ellipse cx="${x}" cy="${y}" rx="150" ry="84" fill="#b49a6b" opacity=".35"/><ellipse cx="${x + 20}" cy="${y + 6}" rx="100" ry="52" fill="#8d744a" opacity=".35"/>`

const cupboard = (x: number, y: number, wide: number, high: number) =>
  `<rect x="${x}" y="${y}" width="${wide}" height="${high}" fill="#dfe3e1" stroke="#b7bdba" stroke-width="3"/><rect x="${x + wide - 24}" y="${y + high / 2 - 28}" width="8" height="56" rx="4" fill="#7d8683"/>`

const cupboards = (y: number, high: number) => [300, 430, 560, 690, 820].map((x) => cupboard(x, y, 130, high)).join("")

const tile = (index: number) =>
  `<rect x="${220 + (index % 10) * 82}" y="${90 + Math.floor(index / 10) * 64}" width="78" height="60" fill="#f3f7f8" stroke="#cfd8db" stroke-width="2"/>`

const tiles = Array.from({ length: 70 }, (_, index) => tile(index)).join("")

export const house =
  framed(`<rect width="1024" height="768" fill="url(#sky)"/><rect y="600" width="1024" height="168" fill="#7f9b63"/>
  <path d="M470 768L500 600H580L640 768Z" fill="#c9c2b4"/><rect x="232" y="250" width="560" height="362" fill="#c8785a"/>
  <path d="M200 260L512 84L824 260Z" fill="#5a4a48"/><rect x="690" y="110" width="52" height="100" fill="#9c5a45"/>
  ${[280, 640].map((x) => `<g transform="translate(${x} 300) scale(.42)">${window(10, 10)}</g><g transform="translate(${x} 460) scale(.42)">${window(10, 10)}</g>`).join("")}
  <rect x="474" y="440" width="92" height="172" fill="#2f4b5c"/><circle cx="550" cy="532" r="6" fill="#e2c77d"/><rect x="462" y="428" width="116" height="12" fill="#efe9dc"/>
  <g transform="translate(452 290) scale(.42)">${window(10, 10)}</g>`)

export const kitchen = room(
  "#e9e2d0",
  "#d8cfba",
  "#a98a63",
  `${window(560, 110)}${cupboards(430, 128)}<rect x="292" y="408" width="666" height="24" fill="#5c5a57"/><rect x="420" y="412" width="150" height="10" fill="#c9cdd0"/><path d="M494 412v-66h40" fill="none" stroke="#b9bec1" stroke-width="12"/>`
)

export const worktop =
  framed(`<rect width="1024" height="768" fill="#6a6763"/><rect y="0" width="1024" height="120" fill="#ece7db"/>
  <rect x="250" y="210" width="520" height="380" rx="26" fill="#c7ccd0" stroke="#9aa1a6" stroke-width="10"/><rect x="290" y="250" width="440" height="300" rx="20" fill="#b3b9be"/>
  <circle cx="510" cy="400" r="34" fill="#8a9197"/><path d="M330 300l120 70M380 280l90 140M600 470l70 60" stroke="#e8ecef" stroke-width="4"/><path d="M520 210V90h90" fill="none" stroke="#d5dadd" stroke-width="26"/>`)

export const crackedWall = room("#efe9dc", "#ddd5c4", "#a98a63", crack(560, 90))

export const livingRoom = room(
  "#dfe6e3",
  "#cbd5d0",
  "#8f6f4c",
  `${window(420, 120)}<rect x="740" y="200" width="190" height="340" fill="#f2efe8" stroke="#cfc9bb" stroke-width="6"/><circle cx="764" cy="380" r="8" fill="#8a8578"/>`
)

export const floorBoards = framed(`<rect width="1024" height="768" fill="#9a784f"/>
  ${Array.from({ length: 9 }, (_, index) => `<rect x="0" y="${index * 86}" width="1024" height="82" fill="${index % 2 === 0 ? "#a6845a" : "#947149"}"/>`).join("")}
  <path d="M420 330l140 40l-20 26l120 44" fill="none" stroke="#f0dfc4" stroke-width="7"/><path d="M180 520l70 20" stroke="#f0dfc4" stroke-width="5"/>`)

export const bathroom = room(
  "#e3ecee",
  "#d2dee1",
  "#7f8f95",
  `${tiles}<rect x="520" y="420" width="420" height="120" rx="30" fill="#fbfcfc" stroke="#c8d2d5" stroke-width="4"/><path d="M600 420v-60h50" fill="none" stroke="#aeb8bc" stroke-width="12"/>`
)

export const dampCeiling = framed(
  `<rect width="1024" height="768" fill="#f1eee6"/>${stain(560, 330)}<circle cx="220" cy="560" r="56" fill="#fff" stroke="#d8d2c4" stroke-width="8"/><circle cx="220" cy="560" r="20" fill="#fdf3cf"/>`
)
