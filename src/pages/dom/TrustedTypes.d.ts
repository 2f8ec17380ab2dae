/** Not every browser has it. What a policy makes is declared as text, since that is what its places are declared as. */
interface Window {
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { readonly createHTML: (text: string) => string }
    ): { createHTML(text: string): string }
  }
}
