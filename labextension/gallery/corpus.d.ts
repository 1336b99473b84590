declare module "program:*" {
  const bytes: Uint8Array;
  export default bytes;
}
