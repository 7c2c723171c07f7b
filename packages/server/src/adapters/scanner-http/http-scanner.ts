/**
 * An external scanner with Harbor's pluggable scanner API, such as Trivy's adapter. It gets an image reference with a short-lived token to
 * pull from this one repository, and is polled for its report.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { scanNote } from '@slipway/contract/registry/scan-notes.ts';
import { severities, type Severity } from '@slipway/contract/registry/severity.ts';
import { errorMessage } from '#kernel/caught.ts';
import type { Findings } from '#ports/engine-probe.ts';
import { PortFailure } from '#ports/failure.ts';
import type { FoundVulnerability, ImageToScan, Scanner, ScannerInfo, ScanReport } from '#ports/scanner.ts';
import { Accepted, Failure, mediaTypes, Metadata, plain, Report, type Item } from './scanner-api.ts';

export interface HttpScannerOptions {
  /** Without `/api/v1`. */
  readonly url: string;
  /** Value of the Authorization header, if the scanner requires one. */
  readonly authorization?: string | undefined;
  /** The registry's URL, as the scanner reaches it. */
  readonly registryUrl: string;
  readonly token: (repository: string) => Promise<string>;
  /** Returns the media type of the image's manifest. */
  readonly mediaTypeOf: (image: ImageToScan) => Promise<string | undefined>;
  readonly limits?: Partial<Limits>;
}
interface Limits {
  /** Timeout of one response. */
  readonly answerMs: number;
  readonly reportMs: number;
  readonly reportBytes: number;
  /** Bounds of the polling interval that the scanner suggests. */
  readonly shortestMs: number;
  readonly longestMs: number;
}
const defaultLimits: Limits = { answerMs: 30_000, reportMs: 900_000, reportBytes: 64 << 20, shortestMs: 500, longestMs: 30_000 };
const TITLE = 300;
const KEPT = 20_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const severityOf = (word: string | null | undefined): Severity => {
  const own = (word ?? '').toLowerCase();
  if (own === 'negligible') return 'low';
  return severities.find((severity) => severity === own) ?? 'unknown';
};
const isAddress = (link: string): boolean => URL.canParse(link) && ['http:', 'https:'].includes(new URL(link).protocol);

const toVulnerability = (item: Item): FoundVulnerability => ({
  id: item.id,
  severity: severityOf(item.severity),
  score: item.preferred_cvss?.score_v3 ?? null,
  vector: item.preferred_cvss?.vector_v3 ?? null,
  title: (item.description ?? '').split('\n', 1)[0]?.slice(0, TITLE) ?? '',
  url: item.links?.find(isAddress) ?? null,
  package: item.package,
  installed: item.version ?? '',
  fixedIn: item.fix_version || null,
});

const isIndex = (mediaType: string): boolean => /\.(index|manifest\.list)\./.test(mediaType);

export class HttpScanner implements Scanner {
  readonly kind = 'http';
  readonly #options: HttpScannerOptions;
  readonly #limits: Limits;

  constructor(options: HttpScannerOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
  }

  async info(): Promise<ScannerInfo> {
    const { scanner } = await this.#metadata();
    return { name: scanner.name ?? 'Scanner', vendor: scanner.vendor ?? '', version: scanner.version ?? '' };
  }

  async probe(findings: Findings): Promise<string | undefined> {
    const { url } = this.#options;
    try {
      const { name, version } = await this.info();
      findings.ok(`${name} ${version} answers at ${url}.`);
      return `${name} ${version}`;
    } catch (error) {
      findings.failed(
        `${url}: ${errorMessage(error)}.`,
        'Correct SLIPWAY_SCANNER_URL (without /api/v1) and SLIPWAY_SCANNER_AUTHORIZATION.',
      );
      return undefined;
    }
  }

  async scan(image: ImageToScan, signal: AbortSignal): Promise<ScanReport> {
    const mediaType = await this.#options.mediaTypeOf(image);
    if (mediaType === undefined) throw new PortFailure('notFound', `${image.repository}@${image.digest} is gone`);
    const report = this.#reportType(await this.#metadata(), mediaType);
    if (report === undefined) throw new PortFailure('rejected', `no ${mediaType}`, { code: 'NotAnImage', context: { mediaType } });
    const id = await this.#ask(image, mediaType, signal);
    const found = await this.#report(id, report, signal);
    const notes = found.length > KEPT ? [scanNote('TooManyFindings', { kept: String(KEPT) })] : [];
    const vulnerabilities = found.slice(0, KEPT).map(toVulnerability);
    return { platforms: [], parts: [], packages: null, vulnerabilities, notes };
  }

  async close(): Promise<void> {}

  async #metadata(): Promise<Metadata> {
    const answer = await this.#send('metadata', { headers: { accept: mediaTypes.metadata } });
    if (answer.status !== 200) throw this.#failure(answer);
    return this.#parsed(Metadata, answer);
  }

  /** Returns the first supported report type that the scanner produces for such an image. */
  #reportType({ capabilities }: Metadata, mediaType: string): string | undefined {
    const wanted = isIndex(mediaType) ? undefined : plain(mediaType);
    const made = capabilities
      .filter(
        ({ type, consumes_mime_types: consumed }) =>
          (type ?? 'vulnerability') === 'vulnerability' && (wanted === undefined || consumed.map(plain).includes(wanted)),
      )
      .flatMap(({ produces_mime_types: produced }) => produced.map(plain));
    return mediaTypes.reports.find((report) => made.includes(plain(report)));
  }

  async #ask({ repository, digest }: ImageToScan, mediaType: string, signal: AbortSignal): Promise<string> {
    const registry = { url: this.#options.registryUrl, authorization: `Bearer ${await this.#options.token(repository)}` };
    const answer = await this.#send('scan', {
      method: 'POST',
      headers: { 'content-type': mediaTypes.request, accept: mediaTypes.response },
      body: JSON.stringify({ registry, artifact: { repository, digest, mime_type: mediaType } }),
      signal,
    });
    if (answer.status !== 202) throw this.#failure(answer);
    return this.#parsed(Accepted, answer).id;
  }

  async #report(id: string, accept: string, signal: AbortSignal): Promise<readonly Item[]> {
    const endsAt = performance.now() + this.#limits.reportMs;
    const path = `scan/${encodeURIComponent(id)}/report`;
    for (;;) {
      const answer = await this.#send(path, { headers: { accept }, signal });
      if (answer.status === 200) return this.#parsed(Report, answer).vulnerabilities ?? [];
      // 302 means "not yet" in the specification. There is no redirect to follow.
      if (answer.status !== 302) throw this.#failure(answer);
      if (performance.now() > endsAt) throw new PortFailure('unavailable', 'the scanner does not come to an end');
      const asked = Number(answer.headers.get('refresh-after') ?? 1) * 1000;
      const { shortestMs, longestMs } = this.#limits;
      await delay(Math.min(longestMs, Math.max(shortestMs, Number.isFinite(asked) ? asked : 0)), undefined, { signal });
    }
  }

  async #send(path: string, { headers, signal, ...init }: RequestInit & { headers: Record<string, string> }): Promise<Answer> {
    const { url, authorization } = this.#options;
    const timeout = AbortSignal.timeout(this.#limits.answerMs);
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}/api/v1/${path}`, {
        ...init,
        headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
        redirect: 'manual',
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      });
      return { status: response.status, headers: response.headers, text: await this.#text(response) };
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof PortFailure) throw cause;
      throw new PortFailure('unavailable', 'the scanner does not answer', { cause });
    }
  }

  async #text(response: Response): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > this.#limits.reportBytes) throw new PortFailure('rejected', 'its answer is too large', { code: 'ScannerFailed' });
    }
    return text + decoder.decode();
  }

  #parsed<Shape extends typeof Metadata | typeof Accepted | typeof Report>(shape: Shape, { text }: Answer) {
    try {
      return shape.parse(JSON.parse(text)) as ReturnType<Shape['parse']>;
    } catch (cause) {
      throw new PortFailure('rejected', 'its answer is not of the scanner API', { code: 'ScannerFailed', cause });
    }
  }

  /** Maps a status to a failure. 400, 422, 500 and 501 are final; other errors may be transient. */
  #failure({ status, text }: Answer): PortFailure {
    let message = `it answered ${status}`;
    try {
      message = Failure.parse(JSON.parse(text)).error.message.slice(0, TITLE);
    } catch {
      // Not every error has a body by the specification.
    }
    const isFinal = [400, 422, 500, 501].includes(status);
    return new PortFailure(isFinal ? 'rejected' : 'unavailable', message, { code: 'ScannerFailed' });
  }
}
