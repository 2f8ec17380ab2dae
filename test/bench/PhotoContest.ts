import sharp from "sharp"
import { type Contest, writes } from "./Compare.ts"
import type { Setting } from "./Contestants.ts"
import { connected } from "./Databases.ts"
import { throughput } from "./Load.ts"

/** Slightly larger than a photo is stored. */
const smallPicture = () => {
  const noise = { type: "gaussian", mean: 128, sigma: 30 } as const
  return sharp({ create: { width: 1200, height: 900, channels: 3, background: "#808080", noise } })
    .blur(2)
    .jpeg({ quality: 85 })
    .toBuffer()
}

// Each room is in its own report, so that no upload waits for another.
const rooms = 100

const roomsSql = `
  with allowed as (insert into customer_feature (customer_id, feature) values ($1, 'SchedulesOfCondition') on conflict do nothing),
    made as (
      insert into place_description_report (customer_id, case_number) select $1, n::text from generate_series(1, $2) n
      returning place_description_report_id)
  insert into place_description_room (customer_id, place_description_report_id, name, sort_order)
  select $1, place_description_report_id, 'Room', 1 from made
  returning place_description_room_id as "roomID"`

const makeRooms = ({ customer, url }: Setting) =>
  connected(url, async (client) => {
    const { rows } = await client.query<{ roomID: number }>(roomsSql, [customer.customerID, rooms])
    return rows.map(({ roomID }) => roomID)
  })

const boundary = "casework-bench-boundary"

const formOf = (picture: Buffer) =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="kitchen.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`
    ),
    picture,
    Buffer.from(`\r\n--${boundary}--\r\n`)
  ])

/** Pictures from a phone, one per request. */
export const photoContest = async (setting: Setting): Promise<Contest> => {
  const roomIDs = await makeRooms(setting)
  const form = formOf(await smallPicture())
  let number = 0
  const path = () => {
    number += 1
    return `/api/PlaceDescriptionRooms/${roomIDs[number % rooms]}/photos`
  }
  return {
    name: "photo upload",
    open: async (base) =>
      throughput(base, {
        method: "POST",
        path,
        token: setting.token,
        contentType: `multipart/form-data; boundary=${boundary}`,
        body: () => form
      }),
    ...writes
  }
}
