import { bathroom, crackedWall, dampCeiling, floorBoards, house, kitchen, livingRoom, worktop } from "./DemoPictures.ts"

export interface DemoRoom {
  readonly name: string
  readonly transcriptRaw: string
  readonly transcriptHtml: string
  readonly photos: ReadonlyArray<{ readonly fileName: string; readonly svg: string }>
}

interface DemoReport {
  readonly caseNumber: string
  readonly address: string
  readonly clientNames: string
  readonly landlords: string
  readonly tenants: string
  readonly description: string
  readonly reportDate: string
  readonly heroPhoto: string
  readonly rooms: ReadonlyArray<DemoRoom>
}

const doubtful = (text: string) => `<span class="review" style="background-color:#fff59d">${text}</span>`

const photo = (fileName: string, svg: string) => ({ fileName, svg })

export const demoReports: Readonly<Record<string, DemoReport>> = {
  "Acme Rentals": {
    caseNumber: "SOC-2026-0117",
    address: "12 Orchard Lane, Flat 3, Springfield",
    clientNames: "Acme Rentals, letting department",
    landlords: "Orchard Lane Housing Association",
    tenants: "The incoming tenants of flat 3",
    description:
      "Condition of the flat before the start of the tenancy. The flat was inspected in daylight, empty and with all services switched on.\nFurniture, floors under fixed units and the inside of walls were not inspected.",
    reportDate: "2026-03-31",
    heroPhoto: "front.jpg",
    rooms: [
      {
        name: "Kitchen",
        transcriptRaw:
          "Kitchen:\nwalls emulsion, cream, sound, hairline crack above the door about 40 cm\n- worktop grey laminate, two burns left of the hob\n- sink stainless steel, scratched, tap drips?\nfloor oak boards, worn in front of the sink",
        transcriptHtml: `<h2>Walls and ceiling</h2><p>The walls are painted in cream emulsion and are sound throughout. Above the door there is a <strong>hairline crack of about 40 cm</strong>. The ceiling is white and shows no marks.</p><h2>Fittings</h2><table><thead><tr><th>Item</th><th>Condition</th><th>Remarks</th></tr></thead><tbody><tr><td>Worktop</td><td>worn</td><td>Grey laminate, two small burns to the left of the hob</td></tr><tr><td>Sink</td><td>worn</td><td>Stainless steel, scratched; ${doubtful("the tap may drip")}</td></tr><tr><td>Wall units</td><td>good</td><td>Five doors, all close properly</td></tr></tbody></table><h2>Floor</h2><p>Oak boards, <em>worn to the wood</em> in front of the sink over about 0.5 m².</p>`,
        photos: [
          photo("front.jpg", house),
          photo("kitchen.jpg", kitchen),
          photo("sink.jpg", worktop),
          photo("crack-above-door.jpg", crackedWall)
        ]
      },
      {
        name: "Living room",
        transcriptRaw:
          "Living room:\npale green walls, good\nwindow double glazed, opens and closes, left handle loose\n- floor oak, scratch of 60 cm by the door\n- two sockets on the window wall, one cover missing\nsmoke alarm not tested, maybe no battery",
        transcriptHtml: `<p>The room is decorated in pale green emulsion, in good condition.</p><ol><li>Window: double glazed, opens and closes.<ul><li>The left handle is loose.</li><li>The seals are complete.</li></ul></li><li>Floor: oak boards with <u>one scratch of about 60 cm</u> next to the door.</li><li>Electrical fittings:<ul><li>two sockets on the window wall, one of them <strong>without its cover</strong>,</li><li>one ceiling light, working,</li><li>${doubtful("one smoke alarm, not tested; it may have no battery")}.</li></ul></li></ol>`,
        photos: [photo("living-room.jpg", livingRoom), photo("scratch.jpg", floorBoards)]
      },
      {
        name: "Bathroom",
        transcriptRaw:
          "Bathroom:\nwhite tiles to the ceiling, grout grey but intact\nbath white, chip of 1 cm at the outlet\nceiling brown stain about 60 by 40 cm, dry today, unclear where from",
        transcriptHtml: `<p>White tiles up to the ceiling; the grout is discoloured but complete. The bath is white enamel with a chip of about 1 cm at the outlet.</p><h2>Ceiling</h2><p>A brown stain of about 60 × 40 cm, dry on the day of the inspection. ${doubtful("Its cause is not known: ask whether the flat above had a leak.")}</p>`,
        photos: [photo("bathroom.jpg", bathroom), photo("stain.jpg", dampCeiling)]
      }
    ]
  },
  "Initech Surveys": {
    caseNumber: "IN-0042",
    address: "5 Mill Road, Shelbyville",
    clientNames: "A contractor of the works next door",
    landlords: "The owner of 5 Mill Road",
    tenants: "Not let",
    description: "Condition of the stairwell before the excavation on the neighbouring plot.",
    reportDate: "2026-02-02",
    heroPhoto: "stairwell.jpg",
    rooms: [
      {
        name: "Stairwell",
        transcriptRaw:
          "Stairwell:\nplaster sound\n- one vertical crack by the window, hairline\n- steps worn, none loose",
        transcriptHtml:
          "<p>The plaster is sound.</p><ul><li>One vertical hairline crack beside the window.</li><li>The steps are worn; none is loose.</li></ul>",
        photos: [photo("stairwell.jpg", crackedWall)]
      }
    ]
  }
}

/** Guides on how to write about rooms, and in which words. */
export const demoGuides = {
  writing: {
    name: "How a room is written",
    description: "How to write the text of condition reports",
    content:
      "Begin with walls and ceiling, then windows and doors, fittings, floor. Give sizes in centimetres. Say good, worn, damaged or missing for each item. Never guess a cause."
  },
  lexicon: {
    name: "Lexicon of conditions",
    description: "Words for condition reports",
    content:
      "good: no visible wear\nworn: signs of normal use\ndamaged: must be repaired\nmissing: should be there but is not"
  }
}
