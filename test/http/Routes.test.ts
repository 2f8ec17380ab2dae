import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, Multipart } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import { isForOperators, isReadable, makeRoutes, plainUrl } from "../../src/platform/http/Routes.ts"

const id = HttpApiSchema.param("id", Schema.String)

const api = HttpApi.make("api").add(
  HttpApiGroup.make("group")
    .add(HttpApiEndpoint.get("read")`/tickets/${id}`)
    .add(HttpApiEndpoint.put("bulk", "/tickets/bulk").setPayload(Schema.Struct({ ids: Schema.Array(Schema.Int) })))
    .add(
      HttpApiEndpoint.post("run")`/tickets/${id}/run`.setPayload(
        Schema.Struct({ force: Schema.optionalWith(Schema.Boolean, { exact: true, nullable: true }) })
      )
    )
    .add(
      HttpApiEndpoint.post("upload")`/tickets/${id}/files`.setPayload(
        HttpApiSchema.Multipart(Schema.Struct({ file: Multipart.SingleFileSchema }))
      )
    )
)

const routes = makeRoutes(api, ["/docs"])

describe("Routes", () => {
  it("know which methods a path takes", () => {
    expect(routes.allowed("/tickets/1")).toEqual(["GET", "HEAD"])
    expect(routes.allowed("/TICKETS/bulk/?x=1")).toEqual(["PUT"])
    expect(routes.find("GET", "/tickets/bulk")).toBeUndefined()
    expect(routes.allowed("/tickets/1/RUN")).toEqual(["POST"])
    expect(routes.allowed("/docs")).toEqual(["GET", "HEAD"])
    expect(routes.allowed("/tickets")).toEqual([])
  })

  it("treat a semicolon in path or query as an ordinary character", () => {
    expect(routes.find("GET", "/tickets/1;2?a=b;c")).toMatchObject({
      params: { id: "1;2" },
      searchParams: { a: "b;c" }
    })
    expect(routes.find("GET", "/docs;x")).toBeUndefined()
    expect([routes.allowed("/docs;x"), routes.allowed("/tickets/bulk;")]).toEqual([[], ["GET", "HEAD"]])
  })

  it("know which kind of body they take", () => {
    const routeOf = (method: string, url: string) => routes.find(method, url)?.route
    expect(routeOf("PUT", "/tickets/bulk")).toMatchObject({ takes: "json", mayBeEmpty: false })
    expect(routeOf("POST", "/tickets/1/run")).toMatchObject({ takes: "json", mayBeEmpty: true })
    expect(routeOf("POST", "/tickets/1/files")).toMatchObject({ takes: "multipart" })
    expect(routeOf("HEAD", "/tickets/1")).toMatchObject({ method: "GET", takes: "nothing", singleResource: true })
  })
})

describe("An address", () => {
  it("means the same with the /api alias, an origin or doubled slashes", () => {
    const same = [
      "/tickets/1?a=//b",
      "/api/tickets/1?a=//b",
      "//API//tickets///1?a=//b",
      "http://h:1/api/tickets/1?a=//b"
    ]
    for (const url of same) expect(plainUrl(url)).toBe("/tickets/1?a=//b")
    expect(plainUrl("/API/TicketMessages/")).toBe("/TicketMessages/")
    expect(plainUrl("/api/customerReps")).toBe("/customerReps")
    for (const url of ["/api/ticketsX", "/api", "/api/Actions/tickets", "*"]) expect(plainUrl(url)).toBe(url)
  })

  it("does not change when normalised twice", () => {
    fc.assert(
      fc.property(fc.webPath(), fc.webQueryParameters(), (path, query) => {
        const plain = plainUrl(`/${path}?${query}`)
        return plainUrl(plain) === plain || /^\/api\//i.test(plain)
      })
    )
  })

  it("continues after a semicolon", () => {
    expect(plainUrl("/api/tickets/1;a//b?c=//d")).toBe("/tickets/1;a/b?c=//d")
    expect(plainUrl("/api/tickets;a")).toBe("/api/tickets;a")
    expect([isReadable("/a;%"), isReadable("/a;b?x=%")]).toEqual([false, true])
    expect(["/health;x", "/metrics;", "/health/live;x"].map(isForOperators)).toEqual([false, false, true])
  })

  it("is readable when every percent sign begins an encoded character", () => {
    for (const url of ["/a%20b", "/%E2%82%AC", "/a?x=%", "/"]) expect([url, isReadable(url)]).toEqual([url, true])
    for (const url of ["/%", "/%zz", "/%E2%82", "/%ff"]) expect([url, isReadable(url)]).toEqual([url, false])
  })
})
