import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { isPublicAddress } from "../../src/platform/outbound/AddressRules.ts"
import { isAllowed, parseOutboundAllow } from "../../src/platform/outbound/OutboundAllow.ts"

const refused = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:a00:1",
  "::ffff:0:127.0.0.1",
  "64:ff9b::127.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "localhost",
  ""
]

const accepted = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2606:4700:4700::1111"]

describe("addresses", () => {
  it.each(refused)("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false))

  it.each(accepted)("%s is public", (address) => expect(isPublicAddress(address)).toBe(true))

  it("are judged the same in their IPv6 form", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => isPublicAddress(address) === isPublicAddress(`::ffff:${address}`)),
      { numRuns: 2_000 }
    )
  })
})

describe("OUTBOUND_ALLOW", () => {
  const allows = (list: string, host: string, port: number) => {
    const parsed = parseOutboundAllow(list)
    return parsed._tag === "Right" && isAllowed(parsed.right, host, port)
  }

  it("names hosts with or without a port, in any spelling", () => {
    const list = " crm.internal , 127.0.0.1:8080, [::1]:9000, FD00::1,Mail.Internal.:25"
    expect(allows(list, "CRM.internal", 1)).toBe(true)
    expect(allows(list, "crm.internal.", 443)).toBe(true)
    expect(allows(list, "127.0.0.1", 8080)).toBe(true)
    expect(allows(list, "2130706433", 8080)).toBe(true)
    expect(allows(list, "127.0.0.1", 8081)).toBe(false)
    expect(allows(list, "[::1]", 9000)).toBe(true)
    expect(allows(list, "0:0:0:0:0:0:0:1", 9000)).toBe(true)
    expect(allows(list, "::1", 9001)).toBe(false)
    expect(allows(list, "fd00:0::1", 80)).toBe(true)
    expect(allows(list, "mail.internal", 25)).toBe(true)
    expect(allows(list, "evil-crm.internal", 1)).toBe(false)
    expect(allows("", "127.0.0.1", 80)).toBe(false)
  })

  it.each(["http://crm.internal", "crm.internal:0", "crm.internal:70000", "a b", "user@host", "[::1", "10.0.0.0/8"])(
    "refuses %s",
    (entry) => expect(parseOutboundAllow(`ok.internal,${entry}`)).toMatchObject({ left: entry })
  )
})
