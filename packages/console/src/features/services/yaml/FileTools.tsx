/** Copies the file, downloads it, or opens another one. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Copy } from '@slipway/ui/text/Copy.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Download, FileInput } from 'lucide-react';
import { useRef } from 'react';
import type { ServiceRef } from '#entities/paths.ts';
import { saveFile } from '#kit/save-file.ts';

interface FileToolsProps {
  place: ServiceRef;
  text: string;
  onFile: (file: File) => void;
  isReadOnly: boolean;
}

export function FileTools({ place, text, onFile, isReadOnly }: FileToolsProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const save = (): void => saveFile(new Blob([text], { type: 'application/yaml' }), `${place.service}.${place.env}.yaml`);
  return (
    <span className="row">
      <Copy text={text} what="the file" />
      <IconButton size="sm" variant="quiet" label="Download" icon={<Download aria-hidden="true" />} onClick={save} />
      <input
        ref={chooser}
        type="file"
        hidden
        accept=".yaml,.yml,text/*,application/yaml"
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          // Lets the user choose the same file again.
          event.target.value = '';
          if (chosen) onFile(chosen);
        }}
      />
      {!isReadOnly && (
        <Button size="sm" icon={<FileInput aria-hidden="true" />} onClick={() => chooser.current?.click()}>
          Choose a file
        </Button>
      )}
    </span>
  );
}
