/** Whether HTML has no text: an editor may leave an empty paragraph or a zero-width character in it. */
export const isEmptyHtml = (html: string) => html.replace(/<[^>]*>|&nbsp;|[\s\u200b-\u200d\u2060]/g, "") === ""
