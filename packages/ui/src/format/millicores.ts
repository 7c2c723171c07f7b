/** Formats millicores with the equivalent in CPUs: 500 → "500 m = 0.5 CPU". */
export function millicores(value: number): string {
  return `${value} m = ${Number((value / 1000).toFixed(3))} CPU`;
}
