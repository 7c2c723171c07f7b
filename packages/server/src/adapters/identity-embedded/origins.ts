// The names this server is known by. On one's own machine it answers as localhost and 127.0.0.1 alike, whichever the browser was
// given; elsewhere only the public URL counts, and headers of proxies are not believed.
import type { IncomingMessage } from 'node:http';

const isLoopback = (hostname: string): boolean => hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);

export class Origins {
  /** The public URL's first. */
  readonly all: readonly string[];
  readonly isSecure: boolean;
  readonly #public: URL;

  constructor(publicUrl: string) {
    this.#public = new URL(publicUrl);
    const { protocol, hostname, port } = this.#public;
    const aliases = isLoopback(hostname) ? ['localhost', '127.0.0.1', '[::1]'] : [];
    const others = aliases.map((alias) => `${protocol}//${alias}${port === '' ? '' : `:${port}`}`);
    this.all = [...new Set([this.#public.origin, ...others])];
    this.isSecure = protocol === 'https:';
  }

  /** A form of our own pages sends its origin; a browser that is made to send a form by another site sends that one's. */
  isOwn(origin: string | undefined): boolean {
    return origin !== undefined && this.all.includes(origin);
  }

  /** Sets what oidc-provider makes addresses and cookies from: the name that the browser uses, never one that a header claims. */
  settle(request: IncomingMessage): void {
    const { protocol, host } = this.#public;
    const asked = `${protocol}//${request.headers.host}`;
    request.headers['x-forwarded-host'] = this.all.includes(asked) ? new URL(asked).host : host;
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete request.headers['x-forwarded-for'];
  }

  /** For `form-action`, which browsers apply to the redirects after a form too. The directive knows no IPv6 addresses. */
  get formTargets(): string {
    return ["'self'", ...this.all.filter((origin) => !origin.includes('['))].join(' ');
  }
}
