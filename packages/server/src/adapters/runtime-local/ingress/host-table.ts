/** Which service answers under a host name: its own, or a domain that it may share with others by base path. */
import type { Asked } from './asked.ts';
import type { EdgeService } from './edge-service.ts';
import { trimSlash } from './request-path.ts';

interface Claim {
  readonly service: EdgeService;
  readonly basePath: string;
}

export class HostTable {
  readonly #own = new Map<string, EdgeService>();
  readonly #domains = new Map<string, Claim[]>();

  setOwn(host: string, service: EdgeService): void {
    this.#own.set(host, service);
  }

  /** Of equal base paths the first stays: nobody takes over an address that is in use. */
  claim(domain: string, basePath: string, service: EdgeService): void {
    const claims = [...(this.#domains.get(domain) ?? []), { service, basePath: trimSlash(basePath) }];
    claims.sort((left, right) => right.basePath.length - left.basePath.length);
    this.#domains.set(domain, claims);
  }

  disclaim(domain: string, service: EdgeService): void {
    const claims = (this.#domains.get(domain) ?? []).filter((entry) => entry.service !== service);
    if (claims.length === 0) this.#domains.delete(domain);
    else this.#domains.set(domain, claims);
  }

  clear(): void {
    this.#own.clear();
    this.#domains.clear();
  }

  /** `noPath` where others share the domain, but nobody has this path. Own names come first: no domain can take one over. */
  find({ hostname, url }: Pick<Asked, 'hostname' | 'url'>): EdgeService | 'noPath' | undefined {
    const own = this.#own.get(hostname);
    if (own) return own;
    const claims = this.#domains.get(hostname);
    if (!claims) return undefined;
    const [path = '/'] = url.split('?', 1);
    return claims.find(({ basePath }) => path === basePath || path.startsWith(`${basePath}/`))?.service ?? 'noPath';
  }
}
