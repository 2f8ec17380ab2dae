import type { SqlClient, Statement } from "@effect/sql"
import type { CustomerID, EndUserID } from "../../schema/Ids.ts"
import { type TicketsQuery, ticketPaging } from "../../schema/Tickets.ts"
import { whenGiven } from "../platform/database/Filters.ts"
import { unseen, wholeRequest } from "../platform/database/PagedQuery.ts"
import { holdsAll, searchPatterns, spelledPatterns } from "../platform/database/SearchWords.ts"

type Sql = SqlClient.SqlClient

export type TicketFilter = TicketsQuery & { readonly endUserID?: EndUserID }

const stateConditions = (sql: Sql, alias: string, filter: TicketFilter): ReadonlyArray<Statement.Fragment> => {
  const column = (name: string) => sql.literal(`${alias}.${name}`)
  return [
    ...whenGiven(filter.status, (status) => sql`${column("status")} = ${unseen(sql, status, "text")}`),
    ...whenGiven(filter.isClosed, (isClosed) =>
      isClosed ? sql`${column("status")} = 'Closed'` : sql`${column("status")} <> 'Closed'`
    ),
    ...whenGiven(filter.isSpam, (isSpam) => (isSpam ? sql`${column("is_spam")}` : sql`not ${column("is_spam")}`))
  ]
}

/** The filters on the ticket's kind: channel, status and whether it is spam. */
const kindConditions = (
  sql: Sql,
  alias: string,
  customerID: CustomerID,
  filter: TicketFilter
): ReadonlyArray<Statement.Fragment> => {
  const column = (name: string) => sql.literal(`${alias}.${name}`)
  return [
    ...stateConditions(sql, alias, filter),
    ...whenGiven(filter.channelIDs, (ids) => sql`${column("channel_id")} = any(${[...ids]}::int[])`),
    ...whenGiven(
      filter.channelType,
      (channelType) => sql`${column("channel_id")} = any(array(
        select channel_id from channel
        where customer_id = ${customerID} and channel_type = ${channelType}))`
    )
  ]
}

/** The ticket that a search names, as in "#13" or "13". */
const numberIn = (search: string | undefined) => {
  const number = Number(/^\s*#?(\d+)\s*$/.exec(search ?? "")?.[1] ?? Number.NaN)
  return number < 2 ** 31 ? number : undefined
}

/** One list of ids from every text that a search covers: each part uses its own index. */
export const foundOf = (sql: Sql, customerID: CustomerID, filter: TicketFilter): Statement.Fragment | undefined => {
  const spelled = spelledPatterns(filter.search)
  const folded = searchPatterns(filter.search).map((pattern) => [pattern])
  const number = numberIn(filter.search)
  if (spelled.length === 0) return undefined
  const named = (ticketID: number) => sql`union select ticket_id from ticket
    where customer_id = ${unseen(sql, customerID, "int")} and ticket_id = ${unseen(sql, ticketID, "int")}`
  return sql`with found as materialized (
    select ticket_id from ticket where customer_id = ${unseen(sql, customerID, "int")} and ${holdsAll(sql, "subject", spelled)}
    union select ticket_id from ticket_message
      where customer_id = ${unseen(sql, customerID, "int")} and ${holdsAll(sql, "message", spelled)}
    union select s.ticket_id from end_user e
      join ticket s on s.customer_id = e.customer_id and s.end_user_id = e.end_user_id
      where e.customer_id = ${unseen(sql, customerID, "int")} and ${holdsAll(sql, "e.search_text", folded)}
    ${number === undefined ? sql`` : named(number)})`
}

const conditionsOf = (sql: Sql, customerID: CustomerID, filter: TicketFilter): ReadonlyArray<Statement.Fragment> => {
  const isSearch = searchPatterns(filter.search).length > 0
  return [
    sql`t.customer_id = ${unseen(sql, customerID, "int")}`,
    ...kindConditions(sql, "t", customerID, filter),
    ...whenGiven(filter.endUserID, (endUserID) => sql`t.end_user_id = ${unseen(sql, endUserID, "int")}`),
    ...whenGiven(
      filter.customerRepID,
      (customerRepID) => sql`t.customer_rep_id = ${unseen(sql, customerRepID, "int")}`
    ),
    ...whenGiven(
      filter.UID,
      (uid) => sql`t.end_user_id = any(array(
        select end_user_id from end_user_uid
        where customer_id = ${customerID} and lower(uid) = lower(${uid})))`
    ),
    ...(isSearch ? [sql`t.ticket_id = any(array(select ticket_id from found))`] : [])
  ]
}

/** Whether the filter asks for nothing but the kind. */
const isKindOnly = (filter: TicketFilter) =>
  filter.UID === undefined &&
  filter.customerRepID === undefined &&
  filter.endUserID === undefined &&
  searchPatterns(filter.search).length === 0

/** Counts the tickets from the tally, if the tally covers the filter. */
export const tallyOf = (sql: Sql, customerID: CustomerID, filter: TicketFilter): Statement.Fragment | undefined =>
  isKindOnly(filter)
    ? sql`
        select coalesce(sum(n.tickets), 0)::int from ticket_tally n
        where ${sql.and([sql`n.customer_id = ${unseen(sql, customerID, "int")}`, ...kindConditions(sql, "n", customerID, filter)])}`
    : undefined

/**
 * Within each channel, tickets are indexed by date: reading as many of each as the page needs is enough. Otherwise all
 * tickets of several channels would have to be read and sorted, however short the page.
 */
const fromChannels = (sql: Sql, customerID: CustomerID, filter: TicketFilter) => {
  const { pageNumber, pageSize, sortOrder } = wholeRequest(ticketPaging, filter)
  const order = sql.literal(sortOrder)
  const channels = [
    sql`c.customer_id = ${unseen(sql, customerID, "int")}`,
    ...whenGiven(filter.channelType, (channelType) => sql`c.channel_type = ${channelType}`),
    ...whenGiven(filter.channelIDs, (ids) => sql`c.channel_id = any(${[...ids]}::int[])`)
  ]
  const tickets = [
    sql`t.customer_id = ${unseen(sql, customerID, "int")}`,
    sql`t.channel_id = c.channel_id`,
    ...stateConditions(sql, "t", filter)
  ]
  return sql`(
    select of_channel.* from channel c cross join lateral (
      select * from ticket t where ${sql.and(tickets)}
      order by t.created_at ${order}, t.ticket_id ${order} limit ${unseen(sql, pageNumber * pageSize)}) of_channel
    where ${sql.and(channels)}) t`
}

/** What the tickets of a list are read from. */
export const ticketsFrom = (sql: Sql, customerID: CustomerID, filter: TicketFilter): Statement.Fragment => {
  const isByDate = filter.sortBy === undefined || filter.sortBy === "dateCreated"
  const isOfChannels = filter.channelType !== undefined || filter.channelIDs !== undefined
  return isByDate && isOfChannels && isKindOnly(filter)
    ? fromChannels(sql, customerID, filter)
    : sql`ticket t where ${sql.and(conditionsOf(sql, customerID, filter))}`
}
