/** Whether HTML says nothing: an editor leaves an empty paragraph, or a sign without width in it. */
export const isEmptyHtml = (html: string) => html.replace(/<[^>]*>|&nbsp;|[\s\u200b-\u200d\u2060]/g, "") === ""
