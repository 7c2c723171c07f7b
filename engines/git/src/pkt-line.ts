/** Git's wire format: length-prefixed lines (gitprotocol-common), and side bands inside them. */

export const flushPkt = Buffer.from('0000');
export const zeroOid = '0'.repeat(40);

/** The longest pkt-line has 65520 bytes, including four for its length and one for the band. */
const maxBandBytes = 65_515;
const maxPktBytes = 65_520;

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

export const pkt = (payload: string | Uint8Array): Buffer => {
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
  return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, '0')), body]);
};

/** Band 1 is data, 2 is text that git prints after `remote:`, 3 is a fatal error. */
export function bandPkts(band: 1 | 2 | 3, data: Uint8Array): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < data.length; at += maxBandBytes) {
    parts.push(pkt(Buffer.concat([Buffer.of(band), data.subarray(at, at + maxBandBytes)])));
  }
  return Buffer.concat(parts);
}

export const messagePkts = (lines: readonly string[]): Buffer =>
  lines.length === 0 ? Buffer.alloc(0) : bandPkts(2, Buffer.from(lines.map((line) => `${line}\n`).join('')));

/** Reads exact amounts from a byte stream, then passes on the rest. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns undefined if the stream ended before the first byte. Rejects with ProtocolError if it ended later. */
  async read(length: number): Promise<Buffer | undefined> {
    const parts = [this.#buffer];
    let have = this.#buffer.length;
    while (have < length) {
      const next = await this.#source.next();
      if (next.done === true) {
        if (have === 0) return undefined;
        throw new ProtocolError('the request ended within a packet');
      }
      parts.push(Buffer.from(next.value));
      have += next.value.length;
    }
    const all = parts.length === 1 ? this.#buffer : Buffer.concat(parts);
    this.#buffer = all.subarray(length);
    return all.subarray(0, length);
  }

  /** Returns the bytes before the next `byte`, which is dropped, or undefined at the end of the stream. At most `maxBytes`. */
  async until(byte: number, maxBytes: number): Promise<Buffer | undefined> {
    let seen = 0;
    for (let at = this.#buffer.indexOf(byte); at < 0; at = this.#buffer.indexOf(byte, seen)) {
      seen = this.#buffer.length;
      if (seen > maxBytes) throw new ProtocolError('a line is too long');
      const next = await this.#source.next();
      if (next.done === true && seen === 0) return undefined;
      if (next.done === true) throw new ProtocolError('the stream ended within a line');
      this.#buffer = Buffer.concat([this.#buffer, next.value]);
    }
    const all = this.#buffer;
    const at = all.indexOf(byte, seen);
    this.#buffer = all.subarray(at + 1);
    return all.subarray(0, at);
  }

  async *rest(): AsyncGenerator<Buffer> {
    if (this.#buffer.length > 0) yield this.#buffer;
    this.#buffer = Buffer.alloc(0);
    for (let next = await this.#source.next(); next.done !== true; next = await this.#source.next()) yield Buffer.from(next.value);
  }

  /** Reads one pkt-line: its payload, null for a flush, undefined at the end of the stream. Rejects other special packets. */
  async pkt(): Promise<Buffer | null | undefined> {
    const head = await this.read(4);
    if (head === undefined) return undefined;
    const text = head.toString('latin1');
    const length = /^[0-9a-f]{4}$/i.test(text) ? Number.parseInt(text, 16) : Number.NaN;
    if (length === 0) return null;
    if (!(length >= 4 && length <= maxPktBytes)) throw new ProtocolError('a packet has no valid length');
    if (length === 4) return Buffer.alloc(0);
    const body = await this.read(length - 4);
    if (body === undefined) throw new ProtocolError('the request ended within a packet');
    return body;
  }

  /** Reads lines up to the next flush or the end of the stream, without their line feeds, at most `maxBytes` in total. */
  async section(maxBytes: number): Promise<Buffer[]> {
    const lines: Buffer[] = [];
    let bytes = 0;
    for (let line = await this.pkt(); line !== null && line !== undefined; line = await this.pkt()) {
      bytes += line.length + 4;
      if (bytes > maxBytes) throw new ProtocolError('the request names too many objects');
      lines.push(line.at(-1) === 10 ? line.subarray(0, -1) : line);
    }
    return lines;
  }
}
