/** xxHash32 with seed 0, the checksum of LZ4 frames. */
const PRIME = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const;
const LANE_BYTES = 4;
const STRIPE_BYTES = 16;

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));
const round = (lane: number, input: number): number => Math.imul(rotated((lane + Math.imul(input, PRIME[1])) | 0, 13), PRIME[0]);

export class XxHash32 {
  readonly #lanes = Int32Array.of(PRIME[0] + PRIME[1], PRIME[1], 0, -PRIME[0]);
  #rest: Buffer = Buffer.alloc(0);
  #length = 0;

  update(bytes: Buffer): this {
    this.#length += bytes.length;
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const lanes = this.#lanes;
    let at = 0;
    for (; at + STRIPE_BYTES <= all.length; at += STRIPE_BYTES)
      for (let lane = 0; lane < 4; lane += 1) lanes[lane] = round(lanes[lane] ?? 0, all.readInt32LE(at + LANE_BYTES * lane));
    this.#rest = Buffer.from(all.subarray(at));
    return this;
  }

  digest(): number {
    const [first = 0, second = 0, third = 0, fourth = 0] = this.#lanes;
    const lanes = rotated(first, 1) + rotated(second, 7) + rotated(third, 12) + rotated(fourth, 18);
    let hash = ((this.#length < STRIPE_BYTES ? PRIME[4] : lanes) + this.#length) | 0;
    let at = 0;
    for (; at + LANE_BYTES <= this.#rest.length; at += LANE_BYTES)
      hash = Math.imul(rotated((hash + Math.imul(this.#rest.readInt32LE(at), PRIME[2])) | 0, 17), PRIME[3]);
    for (; at < this.#rest.length; at += 1) hash = Math.imul(rotated((hash + Math.imul(this.#rest[at] ?? 0, PRIME[4])) | 0, 11), PRIME[0]);
    hash = Math.imul(hash ^ (hash >>> 15), PRIME[1]);
    hash = Math.imul(hash ^ (hash >>> 13), PRIME[2]);
    return (hash ^ (hash >>> 16)) >>> 0;
  }
}
