export const doubled = (value: number): number => value * 2;
