/** What `npm start` prints when the platform is ready: where it is, and how to sign in. */
import type { EmbeddedIdentity } from '#adapters/identity-embedded/embedded-identity.ts';
import type { Config } from '#kernel/config.ts';

const howToSignIn = (config: Config, identity: EmbeddedIdentity | undefined): string[] => {
  if (!identity) return [`Sign in at ${config.oidc?.authority ?? ''}`];
  const first = identity.firstAdministrator();
  if (first) return [`Sign in as ${first.username} with the password ${first.password} (shown once)`];
  if (!config.isDemo) return ['Sign in with your user name and password'];
  return [`Sign in as a demo person: ${identity.demoLink()}`, `One-time code, if the page asks: ${identity.demoCode()}`];
};

export const printWelcome = (config: Config, identity: EmbeddedIdentity | undefined): void => {
  const lines = [
    `Slipway is ready: ${config.publicUrl}`,
    ...howToSignIn(config, identity),
    `Services: http://<service>.<app>.<env>.localhost:${config.ingressPort}`,
    `Data: ${config.dataDir}   Stop: Ctrl-C`,
  ];
  process.stdout.write(`\n${lines.map((line) => `  ${line}`).join('\n')}\n\n`);
};
