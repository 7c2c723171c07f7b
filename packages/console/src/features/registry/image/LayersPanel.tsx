/** The layers of an image, newest on top. The width shows the size. */
import type { ImageDetail } from '@slipway/contract/registry/images.ts';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { cssVars, percent } from '@slipway/ui/css-vars.ts';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { layerCommand } from './layer-command.ts';
import css from './LayersPanel.module.css';

export function LayersPanel({ detail }: { detail: ImageDetail | undefined }) {
  const layers = detail?.layers.toReversed() ?? [];
  const largest = Math.max(1, ...layers.map(({ sizeBytes }) => sizeBytes));
  return (
    <Panel aria-labelledby="layers">
      <PanelHead title="Layers" titleId="layers" note={detail ? `newest on top, ${bytes(detail.sizeBytes)}` : undefined} />
      <Loading
        isLoading={!detail}
        label="Loading layers"
        skeleton={
          <PanelBody>
            <Skeleton height={160} />
          </PanelBody>
        }
      >
        {layers.length === 0 ? (
          <PanelBody className="meta">It has no layers that the registry can read.</PanelBody>
        ) : (
          <ol className={css.strata} reversed>
            {layers.map(({ digest, sizeBytes, command }, index) => (
              <li key={`${digest ?? ''} ${index}`}>
                <span className={css.size} style={cssVars({ '--share': percent(sizeBytes, largest) })} aria-hidden="true" />
                <code className={css.command} title={command || digest || ''}>
                  {layerCommand(command) || 'Not said'}
                </code>
                <span className="num">{sizeBytes === 0 && digest === null ? '–' : bytes(sizeBytes)}</span>
              </li>
            ))}
          </ol>
        )}
      </Loading>
    </Panel>
  );
}
