/** Maps host names to services: a service's own name, or a domain that services share by base path. */
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

  /** Registers a service under a domain. For equal base paths the first service keeps the address. */
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

  /** Returns the service, or `noPath` if the domain is shared but no service has this path. A service's own name wins over domains. */
  find({ hostname, url }: Pick<Asked, 'hostname' | 'url'>): EdgeService | 'noPath' | undefined {
    const own = this.#own.get(hostname);
    if (own) return own;
    const claims = this.#domains.get(hostname);
    if (!claims) return undefined;
    const [path = '/'] = url.split('?', 1);
    return claims.find(({ basePath }) => path === basePath || path.startsWith(`${basePath}/`))?.service ?? 'noPath';
  }
}
