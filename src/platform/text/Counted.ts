/** A number of things in words: "1 mail", "2 mails". */
export const counted = (count: number, one: string) => (count === 1 ? `1 ${one}` : `${count} ${one}s`)
