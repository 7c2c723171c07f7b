/** Checks engines that are reached over HTTP or SMTP: the OpenID provider, schema registries, the scanner, the collector of traces, the mail server and the receiver of the audit log. */
import { auditReceiverOf } from '#adapters/audit/audit-receiver.ts';
import { HttpSchemaRegistry } from '#adapters/schema-registry-http/http-schema-registry.ts';
import { HttpScanner } from '#adapters/scanner-http/http-scanner.ts';
import { SmtpMailer } from '#adapters/mail-smtp/smtp-mailer.ts';
import type { AuditConfig } from '#kernel/audit-config.ts';
import { causeOf, errorMessage } from '#kernel/caught.ts';
import type { Config } from '#kernel/config.ts';
import type { SmtpConfig } from '#kernel/smtp-config.ts';
import type { TelemetryConfig } from '#kernel/telemetry/telemetry-config.ts';
import { probeProvider } from '../outside-sign-in.ts';
import type { Findings } from '#ports/engine-probe.ts';
import type { Check, ChecksOf } from './check.ts';

const ANSWER_MS = 10_000;

type Oidc = NonNullable<Config['oidc']>;

const provider = (oidc: Oidc, publicUrl: string): Check => ({
  subject: 'sign-in',
  run: async (findings) => {
    const endpoint = await probeProvider(oidc.authority, findings);
    if (endpoint !== undefined) await redirect(endpoint, oidc, publicUrl, findings);
  },
});

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
  const answer = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
  const target = answer?.headers.get('location') ?? '';
  if (target.startsWith(wanted)) return findings.ok(`The client ${clientId} may redirect to ${wanted}.`);
  findings.warning(
    `The provider does not confirm that the client ${clientId} may redirect to ${wanted} (answer ${answer?.status ?? 'none'}).`,
    'Register exactly this redirect address for the client. Some providers never confirm it without a person: then sign in once.',
  );
};

const scanner = (chosen: NonNullable<Config['scanner']>, publicUrl: string): Check => ({
  subject: 'scanner',
  run: (findings) =>
    new HttpScanner({ ...chosen, registryUrl: publicUrl, token: async () => '', mediaTypeOf: async () => undefined }).probe(findings),
});

const mail = (smtp: SmtpConfig): Check => ({
  subject: 'mail',
  run: async (findings) => {
    const mailer = new SmtpMailer(smtp);
    await mailer.probe(findings);
    await mailer.close();
  },
});

const audit = (config: AuditConfig): Check => ({
  subject: 'audit receiver',
  run: async (findings) => {
    const receiver = auditReceiverOf(config);
    try {
      await receiver.probe();
      findings.ok(`${receiver.address} answers. No entry was sent.`);
    } catch (error) {
      findings.failed(
        `${receiver.address}: ${errorMessage(error)}.`,
        receiver.kind === 'http' ? 'Correct SLIPWAY_AUDIT_URL and SLIPWAY_AUDIT_AUTHORIZATION.' : 'Correct SLIPWAY_AUDIT_URL.',
      );
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
    ? new HttpSchemaRegistry({ registries: config.schemaRegistry.registries })
        .probes()
        .map(({ place, probe }) => ({ subject: `schema registry ${place}`, run: probe }))
    : []),
  ...(config.scanner ? [scanner(config.scanner, config.publicUrl)] : []),
  ...(config.smtp ? [mail(config.smtp)] : []),
  ...(config.audit ? [audit(config.audit)] : []),
  ...(config.telemetry ? [collector(config.telemetry)] : []),
];
