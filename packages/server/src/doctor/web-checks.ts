/** Checks engines that are reached over HTTP or SMTP: the OpenID provider, schema registries, the scanner, the collector of traces and the mail server. */
import * as z from 'zod/mini';
import { HttpScanner } from '#adapters/scanner-http/http-scanner.ts';
import { SmtpMailer } from '#adapters/mail-smtp/smtp-mailer.ts';
import { errorCode, errorMessage } from '#kernel/caught.ts';
import type { Config } from '#kernel/config.ts';
import type { SmtpConfig } from '#kernel/smtp-config.ts';
import type { TelemetryConfig } from '#kernel/telemetry/telemetry-config.ts';
import { outsideSignIn } from '../outside-sign-in.ts';
import { causeOf, compareClocks, type Check, type ChecksOf, type Findings } from './check.ts';

const ANSWER_MS = 10_000;
const Discovery = z.object({ jwks_uri: z.string(), authorization_endpoint: z.string() });
const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

const ask = (address: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(address, { redirect: 'manual', headers, signal: AbortSignal.timeout(ANSWER_MS) });

type Oidc = NonNullable<Config['oidc']>;

const provider = (oidc: Oidc, publicUrl: string): Check => ({
  subject: 'sign-in',
  run: async (findings) => {
    try {
      await outsideSignIn(oidc);
    } catch (error) {
      return findings.failed(
        errorMessage(error).replace(/^SLIPWAY_OIDC_AUTHORITY: /, ''),
        'Set SLIPWAY_OIDC_AUTHORITY to the issuer, exactly as the provider writes it, and let this machine reach it.',
      );
    }
    findings.ok(`The provider ${oidc.authority} answers with its issuer.`);
    const sentMs = Date.now();
    const answer = await ask(`${oidc.authority.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const date = Date.parse(answer.headers.get('date') ?? '');
    if (!Number.isNaN(date)) compareClocks(findings, date, sentMs, Date.now());
    const { data } = Discovery.safeParse(await answer.json());
    if (!data)
      return findings.failed('The provider names no authorization endpoint.', 'Use a provider for OpenID Connect with the code flow.');
    await keys(data.jwks_uri, findings);
    await redirect(data.authorization_endpoint, oidc, publicUrl, findings);
  },
});

const keys = async (address: string, findings: Findings): Promise<void> => {
  const found = Keys.safeParse(await (await ask(address).catch(() => undefined))?.json().catch(() => undefined));
  if ((found.data?.keys.length ?? 0) > 0) findings.ok('Its public keys can be read.');
  else findings.failed(`${address} has no public keys.`, 'Let this machine reach that address too, or look at the provider.');
};

/** Starts a sign-in that must not ask anybody. A provider redirects only to addresses that are registered. */
const redirect = async (endpoint: string, { clientId }: Oidc, publicUrl: string, findings: Findings): Promise<void> => {
  const wanted = `${publicUrl}/`;
  const address = new URL(endpoint);
  const asked = {
    client_id: clientId,
    redirect_uri: wanted,
    response_type: 'code',
    scope: 'openid',
    prompt: 'none',
    state: 'slipway-doctor',
  };
  const challenge = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
  for (const [name, value] of Object.entries({ ...asked, ...challenge })) address.searchParams.set(name, value);
  const answer = await ask(address).catch(() => undefined);
  const target = answer?.headers.get('location') ?? '';
  if (target.startsWith(wanted)) return findings.ok(`The client ${clientId} may redirect to ${wanted}.`);
  findings.warning(
    `The provider does not confirm that the client ${clientId} may redirect to ${wanted} (answer ${answer?.status ?? 'none'}).`,
    'Register exactly this redirect address for the client. Some providers never confirm it without a person: then sign in once.',
  );
};

const schemaRegistry = (environment: string, url: string, authorization: string | undefined): Check => ({
  subject: `schema registry ${environment}`,
  run: async (findings) => {
    const headers = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const answer = await ask(`${url}/config`, headers).catch(causeOf);
    if (typeof answer === 'string')
      return findings.failed(`${url} does not answer: ${answer}.`, `Correct SLIPWAY_SCHEMA_REGISTRY_URL_${environment.toUpperCase()}.`);
    if (answer.status === 401 || answer.status === 403)
      return findings.failed(
        `The registry refuses the platform (${answer.status}).`,
        `Correct SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION_${environment.toUpperCase()}: credentials that may register, delete and set levels, as the value of the Authorization header.`,
      );
    const isApi = z.looseObject({ compatibilityLevel: z.string() }).safeParse(await answer.json().catch(() => undefined)).success;
    if (!answer.ok || !isApi)
      return findings.failed(
        `${url}/config is not of Confluent's API (answer ${answer.status}).`,
        'Name the base address, such as …/apis/ccompat/v7 for Apicurio.',
      );
    findings.ok(`${url} answers. Rights to write show only with the first schema.`);
  },
});

const scanner = ({ scanner: chosen, publicUrl }: Config): readonly Check[] =>
  chosen
    ? [
        {
          subject: 'scanner',
          run: async (findings) => {
            const options = { ...chosen, registryUrl: publicUrl, token: async () => '', mediaTypeOf: async () => undefined };
            try {
              const { name, version } = await new HttpScanner(options).info();
              findings.ok(`${name} ${version} answers at ${chosen.url}.`);
            } catch (error) {
              findings.failed(
                `${chosen.url}: ${errorMessage(error)}.`,
                'Correct SLIPWAY_SCANNER_URL (without /api/v1) and SLIPWAY_SCANNER_AUTHORIZATION.',
              );
            }
          },
        },
      ]
    : [];

const smtpFailures: Readonly<Record<string, string>> = {
  EAUTH: 'Correct SLIPWAY_SMTP_USER and SLIPWAY_SMTP_PASSWORD.',
  ETLS: 'The server offers no STARTTLS. Set SLIPWAY_SMTP_TLS to implicit (usually with port 465), or to off on the same machine.',
  EDNS: 'Correct SLIPWAY_SMTP_HOST.',
  ESOCKET: 'Correct SLIPWAY_SMTP_HOST, SLIPWAY_SMTP_PORT and SLIPWAY_SMTP_TLS. A private authority belongs into NODE_EXTRA_CA_CERTS.',
  ETIMEDOUT: 'Look for a firewall between this machine and the server. Many networks close port 25.',
};

const mail = (smtp: SmtpConfig): Check => ({
  subject: 'mail',
  run: async (findings) => {
    const mailer = new SmtpMailer(smtp);
    try {
      await mailer.probe();
      findings.ok(
        `${smtp.host}:${smtp.port} answers${smtp.user === undefined ? '' : ` and accepts the user ${smtp.user}`}. No message was sent.`,
      );
    } catch (error) {
      findings.failed(
        `${smtp.host}:${smtp.port}: ${errorMessage(error)}.`,
        smtpFailures[errorCode(error) ?? ''] ?? 'Correct SLIPWAY_SMTP_HOST, SLIPWAY_SMTP_PORT and SLIPWAY_SMTP_TLS.',
      );
    } finally {
      await mailer.close();
    }
  },
});

/** Sends a request for traces without any. */
const collector = ({ url, headers }: TelemetryConfig): Check => ({
  subject: 'traces',
  run: async (findings) => {
    const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/x-protobuf' }, body: new Uint8Array() };
    const answer = await fetch(url, { ...sent, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) }).catch(causeOf);
    if (typeof answer === 'string')
      findings.failed(`${url} does not answer: ${answer}.`, 'Correct OTEL_EXPORTER_OTLP_ENDPOINT: the base address for OTLP over HTTP.');
    else if (answer.ok) findings.ok(`The collector at ${url} accepts traces.`);
    else if (answer.status === 401 || answer.status === 403)
      findings.failed(`The collector refuses the platform (${answer.status}).`, 'Correct OTEL_EXPORTER_OTLP_HEADERS.');
    else
      findings.failed(
        `${url} accepts no traces (answer ${answer.status}).`,
        'OTEL_EXPORTER_OTLP_ENDPOINT is the base address for OTLP over HTTP, usually with port 4318 and without /v1/traces.',
      );
  },
});

export const webChecks: ChecksOf = (config) => [
  ...(config.oidc ? [provider(config.oidc, config.publicUrl)] : []),
  ...(config.schemaRegistry.kind === 'http'
    ? Object.entries(config.schemaRegistry.registries).map(([environment, { url, authorization }]) =>
        schemaRegistry(environment, url, authorization),
      )
    : []),
  ...scanner(config),
  ...(config.smtp ? [mail(config.smtp)] : []),
  ...(config.telemetry ? [collector(config.telemetry)] : []),
];
