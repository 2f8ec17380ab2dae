/** The response body exceeded its limit. */
export class AnswerTooLarge extends Error {}

/** A fetch that fails once the response body, after decompression, is longer than this many bytes. */
export const boundedFetch =
  (longest: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    if (response.body === null) return response
    let length = 0
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        length += chunk.byteLength
        if (length > longest) controller.error(new AnswerTooLarge())
        else controller.enqueue(chunk)
      }
    })
    const { headers, status, statusText } = response
    return new Response(response.body.pipeThrough(bounded), { headers, status, statusText })
  }
