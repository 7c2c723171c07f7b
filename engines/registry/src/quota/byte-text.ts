// Sizes as people read them in the registry's answers: `13.3 MiB`.
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function byteText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step]}`;
}
