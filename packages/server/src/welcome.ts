/** The output of `npm start` when the platform is ready: its URL, and how to sign in. */
import type { EmbeddedIdentity } from '@slipway/identity/embedded-identity.ts';
import type { Config } from '#kernel/config.ts';

const howToSignIn = (config: Config, identity: EmbeddedIdentity | undefined): string[] => {
  if (!identity) return [`Sign in at ${config.oidc?.authority ?? ''}`];
  const first = identity.firstAdministrator();
  if (first) return [`Sign in as ${first.username} with the password ${first.password} (shown once)`];
  if (!config.isDemo) return ['Sign in with your user name and password'];
  return [`Sign in as a demo person: ${identity.demoLink()}`, `One-time code, if the page asks: ${identity.demoCode()}`];
};

const howServed = ({ ingressPort }: Config, diagnosis: string | undefined): string[] => {
  if (diagnosis === undefined) return [`Services: http://<service>.<app>.<env>.localhost:${ingressPort}`];
  return [
    `Services are NOT served: ${diagnosis}`,
    `It is tried again every second. Is another program at port ${ingressPort}? End it, or set SLIPWAY_INGRESS_PORT to a free port.`,
  ];
};

/** `diagnosis` explains why services are not served. */
export const printWelcome = (config: Config, identity: EmbeddedIdentity | undefined, diagnosis: string | undefined): void => {
  const lines = [
    `Slipway is ready: ${config.publicUrl}`,
    ...howToSignIn(config, identity),
    ...howServed(config, diagnosis),
    `Data: ${config.dataDir}   Stop: Ctrl-C`,
  ];
  process.stdout.write(`\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`);
};
