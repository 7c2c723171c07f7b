/** The same from a terminal or a build: with an API token, the request body is just the file. */
import { serviceYamlUpdate, serviceYamlView } from '@slipway/contract/service/service-operations.ts';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useId } from 'react';
import { urlOf } from '#kit/api/call.ts';
import { paths, type ServiceRef } from '#entities/paths.ts';

const token = '-H "Authorization: Bearer $SLIPWAY_TOKEN"';

export function FromTheTerminal({ place }: { place: ServiceRef }) {
  const titleId = useId();
  const params = { ...place };
  const read = new URL(urlOf(serviceYamlView, { params }), location.origin).href;
  const write = new URL(urlOf(serviceYamlUpdate, { params, body: { yaml: '' } }), location.origin).href;
  const put = `curl -X PUT ${token} -H "Content-Type: application/yaml" --data-binary @service.yaml`;
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead title="From a terminal" titleId={titleId} />
      <PanelBody className="stack">
        <div className="stack stack-4">
          <h3>Read it</h3>
          <CommandLine command={`curl ${token} ${read} -o service.yaml`} />
        </div>
        <div className="stack stack-4">
          <h3>See what it would change</h3>
          <CommandLine command={`${put} "${write}?dryRun=true"`} />
        </div>
        <div className="stack stack-4">
          <h3>Apply it</h3>
          <CommandLine command={`${put} ${write}`} />
        </div>
        <p className="meta">
          <code>SLIPWAY_TOKEN</code> is one of{' '}
          <Link className="in" href={paths.tokens()}>
            your API tokens
          </Link>
          .
        </p>
      </PanelBody>
    </Panel>
  );
}
