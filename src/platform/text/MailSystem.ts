/** The addresses from which mail servers write, for instance that a mail could not be delivered; also for PostgreSQL. */
export const mailSystemPattern = "^(mailer-daemon|postmaster|microsoftexchange[0-9a-f]{32})@"

const pattern = new RegExp(mailSystemPattern, "i")

export const isMailSystem = (address: string) => pattern.test(address)
