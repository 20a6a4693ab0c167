/** Hours of a month, as AWS counts them. */
export const HOURS_A_MONTH = 730;

/** USD at list price in us-east-1, for Arm; without any free tier. */
export const LIST_PRICES = {
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2e-6,
  sqsFifoRequest: 0.5e-6,
  dynamoDbReadUnit: 0.125e-6,
  dynamoDbWriteUnit: 0.625e-6,
  s3Put: 5e-6,
  s3Get: 0.4e-6,
} as const;
