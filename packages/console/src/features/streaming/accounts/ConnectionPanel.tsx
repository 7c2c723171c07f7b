/** Connection settings for a client, without the password. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';

export function ConnectionPanel({ account: { connection, groupPrefix } }: { account: Account }) {
  if (!connection) return null;
  const { bootstrapServers, securityProtocol, mechanism, schemaRegistryUrl } = connection;
  return (
    <Panel aria-labelledby="connection">
      <PanelHead title="Connection" titleId="connection" />
      <PanelBody>
        <KeyValue
          items={[
            { label: 'Brokers', value: <code>{bootstrapServers.join(', ')}</code> },
            { label: 'Security', value: securityProtocol === 'SASL_SSL' ? 'SASL over TLS' : 'SASL' },
            { label: 'Mechanism', value: mechanism },
            ...(schemaRegistryUrl === null ? [] : [{ label: 'Registry', value: <code>{schemaRegistryUrl}</code> }]),
            { label: 'Groups begin', value: <code>{groupPrefix}</code> },
          ]}
        />
      </PanelBody>
    </Panel>
  );
}
