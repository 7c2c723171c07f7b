/** How to call a service from outside: the command line, and the password or token that the service requires. */
import { basicAuthGroupOf } from '@slipway/contract/service/service-access.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { KeyRound } from 'lucide-react';
import { reasonOf } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import { AccessToken } from './AccessToken.tsx';
import { NewPassword } from './NewPassword.tsx';

export interface CallServiceDialogProps {
  service: Service;
  onClose: () => void;
}

const titles: Readonly<Record<Service['spec']['externalTrafficAuthentication'], string>> = {
  NO_AUTH: 'Anyone with the URL can call this service.',
  BASIC_AUTH: 'It asks for a user name and a password.',
  AZURE_AUTH: 'Callers need a token issued for this service.',
};

export default function CallServiceDialog({ service, onClose }: CallServiceDialogProps) {
  const { url } = service.status;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Call ${service.name}`}
      {...(url ? { description: titles[service.spec.externalTrafficAuthentication] } : {})}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {url ? (
        <div className="stack">
          <Way service={service} url={url} />
        </div>
      ) : (
        <Notice tone="idle">It has no address. External traffic is set in its settings, under Network.</Notice>
      )}
    </Dialog>
  );
}

function Way({ service, url }: { service: Service; url: string }) {
  const reason = reasonOf(service.can, 'readLogs');
  switch (service.spec.externalTrafficAuthentication) {
    case 'NO_AUTH':
      return <CommandLine command={`curl ${url}`} />;
    case 'BASIC_AUTH':
      return <BasicAuth service={service} url={url} reason={reason} />;
    case 'AZURE_AUTH':
      return <AccessToken service={service} url={url} reason={reason} />;
  }
}

function BasicAuth({ service, url, reason }: { service: Service; url: string; reason: string | undefined }) {
  const group = basicAuthGroupOf(service.name);
  return (
    <>
      <p className="dense">
        User name and password are in the secret group <code>{group}</code>. Members reveal them there, with a reason.
      </p>
      <CommandLine command={`curl -u "$SERVICE_USER:$SERVICE_PASSWORD" ${url}`} />
      <div className="row row-wrap">
        <LinkButton
          icon={<KeyRound aria-hidden="true" />}
          href={paths.secretGroup({ app: service.app, env: service.environment, group })}
          {...(reason === undefined ? {} : { disabledReason: reason })}
        >
          Open the secret group
        </LinkButton>
        <NewPassword service={service} reason={reason} />
      </div>
      <Notice tone="warn">The password goes with every request. Use it for tests, and JWT for everything else.</Notice>
    </>
  );
}
