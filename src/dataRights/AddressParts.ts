/** The lower-case addresses and names in a column that may hold several, as SQL. */
export const addressParts = (column: string) => `regexp_split_to_array(lower(${column}), '[,;<>[:space:]]+')`
