import { largestPage } from "../../../schema/Paging.ts"
import { Problem } from "./Problem.ts"

type AskForPage<A> = (page: {
  readonly pageNumber: number
  readonly pageSize: number
}) => Promise<{ readonly items: ReadonlyArray<A>; readonly totalCount: number }>

/** Loads pages of the given size until the list ends. */
const pagesOf = async <A>(pages: number, ask: AskForPage<A>, pageSize: number) => {
  const found: Array<A> = []
  for (let pageNumber = 1; ; pageNumber++) {
    const { items, totalCount } = await ask({ pageNumber, pageSize })
    found.push(...items)
    const isAll = items.length === 0 || found.length >= totalCount
    if (isAll || pageNumber >= pages) return { items: found, totalCount }
  }
}

/**
 * The first pages of a list, and the total count. Where items are too long for a large page, the pages are smaller: the
 * last one brings fewer items, and those before it bring all the same.
 */
export const firstOf = async <A>(
  pages: number,
  ask: AskForPage<A>,
  pageSize: number = largestPage
): ReturnType<typeof pagesOf<A>> => {
  try {
    return await pagesOf(pages, ask, pageSize)
  } catch (error) {
    const isTooLarge = error instanceof Problem && error.status === 400 && pageSize > 1
    if (!isTooLarge) throw error
    const smaller = Math.ceil(pageSize / 4)
    return firstOf(Math.ceil(((pages - 1) * pageSize) / smaller) + 1, ask, smaller)
  }
}

/** A whole list, page by page. */
export const allOf = async <A>(ask: AskForPage<A>) => (await firstOf(Number.POSITIVE_INFINITY, ask)).items
