/** One HTTP exchange: media types, query, request body and response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '@slipway/foundation/problem.ts';
import { readJson } from '@slipway/foundation/read-json.ts';
import { errors, RegistryError } from '../registry-error.ts';
import type { Page } from '../registry.sql.ts';

const V1 = 'application/vnd.schemaregistry.v1+json';
const answered = [V1, 'application/vnd.schemaregistry+json', 'application/json'];
/** Confluent's oldest clients send application/octet-stream. */
const taken = new Set([...answered, 'application/octet-stream']);
/** Fits a schema of 1 MiB with references, even if JSON needs two bytes for every character. */
const MOST_BYTES = 3 << 20;
const MOST_PAGE = 1000;

const isMediaRange = (range: string, type: string): boolean => range === '*/*' || range === 'application/*' || range === type;

/** Chooses the supported media type that the client prefers. */
const answerType = ({ headers }: IncomingMessage): string => {
  const ranges = (headers.accept ?? '*/*').split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    return { range, quality: Number.isFinite(quality) ? quality : 0 };
  });
  const qualityOf = (type: string): number =>
    Math.max(0, ...ranges.filter(({ range }) => isMediaRange(range, type)).map(({ quality }) => quality));
  const [best] = answered.map((type) => ({ type, quality: qualityOf(type) })).sort((a, b) => b.quality - a.quality);
  if (!best || best.quality === 0) throw new RegistryError(406, 406, `Not acceptable. This registry answers ${answered.join(', ')}`);
  return best.type;
};

export class Exchange {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  readonly #response: ServerResponse;
  #type = V1;

  constructor(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    this.request = request;
    this.query = query;
    this.#response = response;
  }

  /** Chooses the response's media type. Throws 406 if none fits. */
  negotiate(): void {
    this.#type = answerType(this.request);
  }

  isTrue(name: string): boolean {
    return this.query.get(name) === 'true';
  }

  /** Parses `offset` and `limit`. The limit defaults to the maximum. */
  page(most = MOST_PAGE): Page {
    const number = (name: string): number => {
      const text = this.query.get(name) ?? '-1';
      if (!/^-?\d{1,9}$/.test(text)) throw errors.invalidBody(`${name} must be a number`);
      return Number(text);
    };
    const limit = number('limit');
    return { offset: Math.max(0, number('offset')), limit: limit < 0 ? most : Math.min(most, limit) };
  }

  /** Reads and parses the JSON body, after checking its type and size. */
  async body(): Promise<unknown> {
    const type = this.request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    if (type !== undefined && !taken.has(type)) throw new RegistryError(415, 415, `Unsupported media type. This registry takes ${V1}`);
    const text = await this.#text();
    try {
      return readJson(text);
    } catch (error) {
      if (error instanceof Problem) throw new RegistryError(400, 400, `The body is refused: ${error.code}`);
      throw new RegistryError(400, 400, 'The body is not JSON');
    }
  }

  async #text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MOST_BYTES) break;
      chunks.push(chunk);
    }
    if (size <= MOST_BYTES) return Buffer.concat(chunks).toString();
    // Discards the rest, within the gateway's limits: a client that is still sending may not read the answer.
    this.request.resume();
    throw new RegistryError(413, 413, `The body is larger than ${MOST_BYTES} bytes`);
  }

  reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.replyText(status, JSON.stringify(body), headers);
  }

  /** Sends a schema as written. Only its format defines its type, so browsers must not guess one. */
  replyText(status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
    const bytes = Buffer.from(text);
    this.#response.writeHead(status, { 'Content-Type': this.#type, 'Content-Length': bytes.length, ...headers });
    this.#response.end(bytes);
  }
}
