/** Chooses a profile photo or removes it. The browser cuts a small square, so any photo can be chosen. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useRef, useState } from 'react';
import { reportError } from '#kit/error/global-error.ts';

const sidePixels = 256;

/** Returns the middle of the image as JPEG in base64. Throws if the browser cannot read the file. */
const squareOf = async (file: Blob): Promise<string> => {
  const image = await createImageBitmap(file);
  const edge = Math.min(image.width, image.height);
  const canvas = Object.assign(document.createElement('canvas'), { width: sidePixels, height: sidePixels });
  const [left, top] = [(image.width - edge) / 2, (image.height - edge) / 2];
  canvas.getContext('2d')?.drawImage(image, left, top, edge, edge, 0, 0, sidePixels, sidePixels);
  return canvas.toDataURL('image/jpeg', 0.9).split(',')[1] ?? '';
};

interface PhotoButtonsProps {
  /** Stores a photo in base64; null removes it. */
  save: (photo: string | null) => Promise<unknown>;
  /** Called before the file is chosen. False stops. */
  mayChange?: () => boolean;
}

export function PhotoButtons({ save, mayChange = () => true }: PhotoButtonsProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState<'choose' | 'remove'>();
  const change = async (of: 'choose' | 'remove', photo: () => Promise<string | null>): Promise<void> => {
    setBusy(of);
    try {
      await save(await photo());
    } catch (error) {
      reportError(error);
    } finally {
      setBusy(undefined);
    }
  };
  const choose = async (file: File): Promise<void> => {
    const photo = await squareOf(file).catch(() => undefined);
    if (photo === undefined) toast.failure(`${file.name} is not an image that this browser can read`);
    else await change('choose', async () => photo);
  };
  return (
    <div className="row row-wrap">
      <input
        ref={chooser}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/webp"
        aria-label="Photo"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          // Lets the user choose the same file again.
          event.target.value = '';
          if (file) void choose(file);
        }}
      />
      <Button isBusy={busy === 'choose'} busyLabel="Saving" onClick={() => mayChange() && chooser.current?.click()}>
        Choose a photo
      </Button>
      <Button isBusy={busy === 'remove'} busyLabel="Removing" onClick={() => mayChange() && void change('remove', async () => null)}>
        Remove the photo
      </Button>
    </div>
  );
}
