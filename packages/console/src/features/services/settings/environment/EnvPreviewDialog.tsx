/** All static variables as a file in five formats, to read and copy. Omits variables from secrets, whose values are not available here. */
import { keyValueFormatOf, keyValueFormats, writeKeyValues, type KeyValueFormat } from '@slipway/contract/secret/key-value-formats.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { useCopy } from '@slipway/ui/text/Copy.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { useState } from 'react';
import { envRowsOf } from '#features/services/settings/draft.ts';
import css from './EnvDialogs.module.css';
import { useSettingsState } from '#features/services/settings/settings-context.ts';

const options = keyValueFormats.map((format) => ({ value: format, label: keyValueFormatOf(format)?.label ?? format }));

export default function EnvPreviewDialog({ onClose }: { onClose: () => void }) {
  const rows = useSettingsState(({ draft }) => envRowsOf(draft));
  const [format, setFormat] = useState<KeyValueFormat>('env');
  const { outcome, copy } = useCopy();
  const own = rows.filter(({ source, name }) => source === 'STATIC' && name !== '');
  const left = rows.length - own.length;
  const text = writeKeyValues(
    format,
    own.map(({ name, value = '' }) => [name, value] as const),
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="lg"
      hasClose
      title="Environment variables as a file"
      footNote={left > 0 ? `${left} from secrets ${left === 1 ? 'is' : 'are'} left out` : undefined}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="primary" onClick={() => void copy(text)}>
            {{ idle: 'Copy', copied: 'Copied', failed: 'Could not copy' }[outcome]}
          </Button>
        </>
      }
    >
      <Segmented label="Format" options={options} value={format} onChange={setFormat} />
      <pre className={css.file} tabIndex={0} role="region" aria-label="File">
        {text}
      </pre>
    </Dialog>
  );
}
